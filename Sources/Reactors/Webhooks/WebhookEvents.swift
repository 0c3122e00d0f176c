import EventSourcing
import Messaging
package import ParleyWire

/// What webhooks are told of: what all members of a conversation are told, in its order. What is for one person alone is not
/// among it, nor what is never stored.
package enum WebhookEvents {
    package static let all: [StreamEventName] = [
        .messageCreated, .messageUpdated, .messageDeleted, .reactionUpdated, .conversationCreated, .conversationUpdated,
        .participantAdded, .participantUpdated, .participantRemoved,
    ]

    /// What an event of the log is told as; nil where it is told to no webhook.
    static func name(of record: RecordedEvent) -> StreamEventName? {
        guard case .event(let event as ConversationEvent) = record.body else { return nil }
        switch event {
        case .messageSent: return .messageCreated
        case .messageEdited, .messagePinned, .messageUnpinned: return .messageUpdated
        case .messageDeleted: return .messageDeleted
        case .reactionAdded, .reactionRemoved: return .reactionUpdated
        case .started: return .conversationCreated
        case .groupChanged, .permissionsChanged, .retentionChanged, .slowModeChanged: return .conversationUpdated
        case .participantAdded: return .participantAdded
        case .roleChanged: return .participantUpdated
        case .participantRemoved: return .participantRemoved
        case .receiptsAdvanced, .memberErased, .viewChanged, .markedUnread, .messageHidden, .inviteCreated, .inviteUsed,
            .invitesEnded, .blockChanged:
            return nil
        }
    }
}
