package import EventSourcing
package import Foundation

/// What travels with every command: who asks, under which id, and when it was accepted at the edge.
package struct CommandContext: Sendable {
    /// Made by the client where it can be; a command with an id that the stream has already is a replay.
    package let commandID: UUID
    /// Ids that belong to the command's events beside its own: where the log has one of them already, the command is none
    /// that it could take.
    package let furtherIDs: [UUID]
    /// Nil for the server itself, whose commands have no personal content.
    package let actor: UUID?
    package let correlationID: UUID?
    /// What it follows from: the event or command that a reactor or a schedule acts on.
    package let causationID: UUID?
    /// Server time, cut to whole milliseconds.
    package let now: Date
    /// What a replay must repeat, in a stable encoding; nil where any repetition is the same.
    package let content: [UInt8]?

    var ids: [UUID] { [commandID] + furtherIDs }

    package init(
        commandID: UUID,
        furtherIDs: [UUID] = [],
        actor: UUID?,
        correlationID: UUID? = nil,
        causationID: UUID? = nil,
        now: Date,
        content: [UInt8]? = nil
    ) {
        self.commandID = commandID
        self.furtherIDs = furtherIDs
        self.actor = actor
        self.correlationID = correlationID
        self.causationID = causationID
        self.now = Date(timeIntervalSince1970: (now.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
        self.content = content
    }
}

/// What became of a command.
package struct Handled<Answer: Sendable>: Sendable {
    /// The events of this command; empty when it changed nothing. Merged commands share theirs.
    package let events: [RecordedEvent]
    /// Whether the log had the command already.
    package let isReplay: Bool
    /// What the caller asked to be told of the state right after the command.
    package let answer: Answer
    /// A reader that has passed this sees what the command did.
    package let token: Cursor
}

/// Why a command was not handled, beside its decider's own rejections.
package enum CommandError: Error, Equatable, Sendable {
    /// The log has this command id with other content, or of another person.
    case idConflict
    /// The actor has no key: unknown or erased.
    case unknownActor
    /// The queue is full: nothing happened, try again later.
    case overloaded
    /// The database did not answer in time: whether the command took effect is unknown; repeat it under the same id.
    case unavailable
    /// The history that the command is about is long, and still being read: nothing happened.
    case loading
    /// The history that the command is about holds an event of a newer program: this one cannot tell what is allowed.
    case unknownEvent(UnknownEvent)
    /// What follows from the command is of a format that not every living process reads: nothing happened, try again when
    /// the older ones have ended.
    case formatNotOpen(Int)
}
