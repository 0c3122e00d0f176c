/// The names of the stream's events.
public enum StreamEventName: String, Codable, Hashable, Sendable, CaseIterable {
    case hello
    case ready
    case messageCreated = "message.created"
    case messageUpdated = "message.updated"
    case messageDeleted = "message.deleted"
    case reactionUpdated = "reaction.updated"
    case receiptUpdated = "receipt.updated"
    case conversationCreated = "conversation.created"
    case conversationUpdated = "conversation.updated"
    case conversationRemoved = "conversation.removed"
    case participantAdded = "participant.added"
    case participantUpdated = "participant.updated"
    case participantRemoved = "participant.removed"
    case userUpdated = "user.updated"
    case unreadUpdated = "unread.updated"
    case reset
    case goAway = "goaway"
    case ping
    case memberUpdated = "member.updated"
    case typingUpdated = "typing.updated"
    case blockUpdated = "block.updated"
    case presenceUpdated = "presence.updated"

    /// Whether the event moves the client's cursor.
    public var hasID: Bool {
        switch self {
        case .ready, .unreadUpdated, .typingUpdated, .presenceUpdated, .goAway: false
        case .hello, .messageCreated, .messageUpdated, .messageDeleted, .reactionUpdated, .receiptUpdated,
            .conversationCreated, .conversationUpdated, .conversationRemoved,
            .participantAdded, .participantUpdated, .participantRemoved, .userUpdated, .reset, .ping,
            .memberUpdated, .blockUpdated:
            true
        }
    }
}
