/// A pure decision maker: what has happened and what is asked in, what follows out.
///
/// `decide` reads no clock, makes no ids and does no IO: time, ids and looked-up facts travel in the command.
package protocol Decider {
    associatedtype Command: Sendable
    associatedtype State: Sendable
    associatedtype Event: DomainEvent
    associatedtype Rejection: Error, Equatable

    /// The state of an entity that has no events yet.
    static var initialState: State { get }

    /// Decides which events follow from a command; none means that it changes nothing.
    static func decide(_ command: Command, given state: State) throws(Rejection) -> [Event]

    /// One command that does what both do, where a batch may carry them as one event; nil where it may not.
    static func merge(_ first: Command, _ second: Command) -> Command?

    /// Folds one event into the state. Cannot fail: the event has already happened.
    static func evolve(_ state: inout State, _ event: Event)
}

extension Decider {
    package static func merge(_ first: Command, _ second: Command) -> Command? { nil }
}
