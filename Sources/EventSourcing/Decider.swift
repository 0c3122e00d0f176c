/// A pure decision maker: what has happened and what is asked in, what follows out.
///
/// `decide` reads no clock, makes no ids and does no IO: time, ids and looked-up facts travel in the command.
package protocol Decider: SendableMetatype {
    associatedtype Command: Sendable
    associatedtype State: Sendable, Codable
    associatedtype Event: DomainEvent
    associatedtype Rejection: Error, Equatable

    /// The name of the decider in stored snapshots; never renamed.
    static var name: String { get }

    /// The version of ``State``'s shape in stored snapshots: raised with every change of it, so that old snapshots are
    /// ignored.
    static var snapshotVersion: Int { get }

    /// The streams that make up an aggregate: all have the aggregate's id.
    static var streams: [AggregateStream] { get }

    /// The state of an aggregate that has no events yet.
    static var initialState: State { get }

    /// Decides which events follow from a command; none means that it changes nothing.
    static func decide(_ command: Command, given state: State) throws(Rejection) -> [Event]

    /// One command that does what both do, where a batch may carry them as one event; nil where it may not.
    static func merge(_ first: Command, _ second: Command) -> Command?

    /// How long a command that may be merged waits for others, when many come: as long as nobody waits for its answer.
    static func mergeWindow(of command: Command) -> Duration

    /// Whether newer events, such as another process's, could change the answer to a command although it is accepted and
    /// no version check stands in their way.
    ///
    /// A refusal, and an acceptance that changes nothing, is always checked against the log first.
    static func needsFreshState(_ command: Command, given state: State) -> Bool

    /// About how much memory a state takes, in multiples of a small one.
    static func weight(of state: State) -> Int

    /// Folds one event into the state. Cannot fail: the event has already happened.
    static func evolve(_ state: inout State, _ event: Event)
}

extension Decider {
    package static func merge(_ first: Command, _ second: Command) -> Command? { nil }
    package static func mergeWindow(of command: Command) -> Duration { .zero }
    package static func needsFreshState(_ command: Command, given state: State) -> Bool { false }
    package static func weight(of state: State) -> Int { 1 }
}

/// One stream of an aggregate.
package struct AggregateStream: Hashable, Sendable {
    package let category: StreamCategory
    /// Whether an append demands the version that was decided on; false for events that commute.
    package let isOrdered: Bool

    package init(_ category: StreamCategory, isOrdered: Bool) {
        self.category = category
        self.isOrdered = isOrdered
    }
}
