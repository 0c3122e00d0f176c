import EventSourcing
import EventStore
package import Foundation
import ParleyWire

/// Says when commands were accepted, and gives an id to those that bring none.
package struct CommandClock: Sendable {
    private let now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    /// Server time, in whole milliseconds, as events keep it.
    func moment() -> Date { Timestamp.truncate(now()) }

    func newID() -> UUID { TimeOrderedID.make(at: now()) }

    func context(
        actor: UUID,
        commandID: UUID? = nil,
        furtherIDs: [UUID] = [],
        causationID: UUID? = nil,
        content: [UInt8]? = nil
    ) -> CommandContext {
        CommandContext(
            commandID: commandID ?? newID(),
            furtherIDs: furtherIDs,
            actor: actor,
            causationID: causationID,
            now: now(),
            content: content
        )
    }
}
