import EventSourcing
import Foundation

extension ConversationDecider {
    /// For how long messages may stay, in seconds: an hour to ninety days.
    package static let retention = 3_600...7_776_000

    static func expireMessages(
        _ expire: ExpireMessages,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard conversation.exists else { throw .notFound }
        var events: [ConversationEvent] = []
        for facts in expire.messages {
            guard let message = conversation.messageChanges.bringUpToDate(facts, for: facts.sender, nil) else {
                throw .staleFacts
            }
            // Each with the retention of its own time, whatever became of that since.
            guard !message.isDeleted, let expiresAt = message.expiresAt, expiresAt.isReached(at: expire.now) else {
                continue
            }
            events.append(
                .messageDeleted(
                    MessageDeleted(messageID: message.id, seq: message.seq, sender: message.sender, isExpired: true)
                )
            )
        }
        return events
    }

    static func retentionEvents(
        _ change: ChangeGroup,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard change.retention != .unchanged else { return [] }
        try conversation.require(.changeRetention, by: change.actor)
        // The other one is told of it.
        if !conversation.isGroup, !conversation.erasedPeople.isEmpty { throw .otherIsErased }
        try conversation.requireNoBlock(by: change.actor)
        guard change.retention.newValue != conversation.retention else { return [] }
        return [.retentionChanged(RetentionChanged(seconds: change.retention.newValue))]
    }
}
