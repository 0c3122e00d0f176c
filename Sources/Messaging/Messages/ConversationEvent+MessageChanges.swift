import EventSourcing
import Foundation

/// What the log keeps of an edit in the clear; the text is sealed.
struct MessageEditedPayload: Codable {
    let seq: Int64
}

struct MessageDeletedPayload: Codable {
    let seq: Int64
    let sender: UUID
}

struct ReactionPayload: Codable {
    let counts: [Emoji: Int]
    let emoji: Emoji
    let seq: Int64
}

extension ConversationEvent {
    /// The types as which messages are stored.
    package static let typesOfMessages =
        [EventKind.messageSent, .messageForwarded, .limitedMessageSent, .attachmentsSent].map(\.type)

    /// The types of what may happen to a message, which is the event's subject then.
    package static let typesOfMessageChanges =
        [EventKind.messageEdited, .messageDeleted, .messageExpired, .messagePinned, .messageUnpinned].map(\.type)
        + typesOfReactions
    package static let typesOfReactions = [EventKind.reactionAdded, .reactionRemoved].map(\.type)

    /// The types of what gives a message another text.
    package static let typesOfEdits = [EventKind.messageEdited.type]

    /// The types of what gives a message another text, or takes it away.
    package static let typesOfTextChanges = typesOfEdits + typesOfDeletions

    /// The types of what ends a message.
    package static let typesOfDeletions = [EventKind.messageDeleted, .messageExpired].map(\.type)

    /// Reads that a message's time was over, which is nobody's doing.
    static func expiry(_ content: StoredContent, _ context: DecodingContext) throws -> MessageDeleted {
        guard let message = context.subject else { throw UndecodableEvent(.messageExpired) }
        let payload = try EventJSON.decode(MessageDeletedPayload.self, from: content.payload)
        return MessageDeleted(messageID: message, seq: payload.seq, sender: payload.sender, isExpired: true)
    }

    /// Reads what happened to a message, which is the event's subject.
    static func messageChange(
        _ kind: EventKind,
        _ content: StoredContent,
        _ context: DecodingContext
    ) throws -> ConversationEvent {
        guard let message = context.subject, let actor = context.actor else { throw UndecodableEvent(kind) }
        switch kind {
        case .messageEdited:
            let payload = try EventJSON.decode(MessageEditedPayload.self, from: content.payload)
            let text = content.personal.map { String(decoding: $0, as: UTF8.self) }
            return .messageEdited(MessageEdited(messageID: message, seq: payload.seq, text: text))
        case .messageDeleted:
            let payload = try EventJSON.decode(MessageDeletedPayload.self, from: content.payload)
            return .messageDeleted(MessageDeleted(messageID: message, seq: payload.seq, sender: payload.sender))
        case .reactionAdded, .reactionRemoved:
            let payload = try EventJSON.decode(ReactionPayload.self, from: content.payload)
            let changed = ReactionChanged(
                messageID: message,
                seq: payload.seq,
                person: actor,
                emoji: payload.emoji,
                counts: payload.counts
            )
            return kind == .reactionAdded ? .reactionAdded(changed) : .reactionRemoved(changed)
        case .messagePinned, .messageUnpinned:
            let payload = try EventJSON.decode(PinPayload.self, from: content.payload)
            let changed = PinChanged(messageID: message, seq: payload.seq, in: payload.conversation)
            return kind == .messagePinned ? .messagePinned(changed) : .messageUnpinned(changed)
        default:
            throw UndecodableEvent(kind)
        }
    }
}
