import Foundation
import Messaging

/// What becomes of messages, by their `seq`.
extension TestLog {
    mutating func edit(_ text: String, seq: Int64, of room: UUID, by author: UUID) {
        let edited = MessageEdited(messageID: Self.id(of: seq), seq: seq, text: text)
        record(ConversationEvent.messageEdited(edited), on: room, by: author)
    }

    mutating func delete(_ seq: Int64, of room: UUID, sentBy sender: UUID, by actor: UUID) {
        let deleted = MessageDeleted(messageID: Self.id(of: seq), seq: seq, sender: sender)
        record(ConversationEvent.messageDeleted(deleted), on: room, by: actor)
    }

    mutating func expire(_ seq: Int64, of room: UUID, sentBy sender: UUID) {
        let expired = MessageDeleted(messageID: Self.id(of: seq), seq: seq, sender: sender, isExpired: true)
        record(ConversationEvent.messageDeleted(expired), on: room, by: nil)
    }

    mutating func keep(for seconds: Int?, in room: UUID, by actor: UUID) {
        record(ConversationEvent.retentionChanged(RetentionChanged(seconds: seconds)), on: room, by: actor)
    }

    mutating func react(_ text: String, to seq: Int64, of room: UUID, by person: UUID, adds: Bool = true) {
        guard let emoji = Emoji(text) else { preconditionFailure("\(text) is no emoji") }
        let changed = ReactionChanged(
            messageID: Self.id(of: seq),
            seq: seq,
            person: person,
            emoji: emoji,
            counts: [emoji: 1]
        )
        record(adds ? ConversationEvent.reactionAdded(changed) : .reactionRemoved(changed), on: room, by: person)
    }

    mutating func pin(_ seq: Int64, of room: UUID, by actor: UUID, pins: Bool = true) {
        let changed = PinChanged(messageID: Self.id(of: seq), seq: seq, in: .group)
        record(pins ? ConversationEvent.messagePinned(changed) : .messageUnpinned(changed), on: room, by: actor)
    }

    /// Projections find messages by their `seq`.
    private static func id(of seq: Int64) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: seq)))
    }
}
