import EventSourcing
import EventStore
package import Foundation

/// Says when commands were accepted, and gives an id to those that bring none.
package struct CommandClock: Sendable {
    private let now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    var present: Date { now() }

    func newID() -> UUID { TimeOrderedID.make(at: now()) }

    func context(actor: UUID, commandID: UUID? = nil, content: [UInt8]? = nil) -> CommandContext {
        CommandContext(commandID: commandID ?? newID(), actor: actor, now: now(), content: content)
    }
}
