/// What the stream, and `/v1/sync` with `since`, tell a client: state, never a difference.
public enum StreamEvent: Hashable, Sendable {
    case hello(Hello)
    /// All that happened before the connection has been sent.
    case ready
    case messageCreated(MessageCreated)
    case messageUpdated(MessageChanged)
    case messageDeleted(MessageChanged)
    case reactionUpdated(ReactionUpdated)
    case receiptUpdated(ReceiptUpdated)
    case conversationCreated(ConversationChanged)
    case conversationUpdated(ConversationChanged)
    case conversationRemoved(ConversationRemoved)
    case participantAdded(ParticipantChanged)
    case participantUpdated(ParticipantChanged)
    case participantRemoved(ParticipantChanged)
    case userUpdated(UserUpdated)
    case unreadUpdated(UnreadUpdated)
    /// The cursor cannot be continued: ask `/v1/sync`.
    case reset
    case goAway(GoAway)
    case ping
    case memberUpdated(MemberUpdated)
    case typingUpdated(TypingUpdated)
    case blockUpdated(BlockUpdated)
    case presenceUpdated(PresenceUpdated)
    /// An event of a later version, to be ignored.
    case unknown(name: String)

    public var name: String { knownName?.rawValue ?? unknownName }

    /// nil for an event of a later version.
    public var knownName: StreamEventName? {
        switch self {
        case .hello: .hello
        case .ready: .ready
        case .messageCreated: .messageCreated
        case .messageUpdated: .messageUpdated
        case .messageDeleted: .messageDeleted
        case .reactionUpdated: .reactionUpdated
        case .receiptUpdated: .receiptUpdated
        case .conversationCreated: .conversationCreated
        case .conversationUpdated: .conversationUpdated
        case .conversationRemoved: .conversationRemoved
        case .participantAdded: .participantAdded
        case .participantUpdated: .participantUpdated
        case .participantRemoved: .participantRemoved
        case .userUpdated: .userUpdated
        case .unreadUpdated: .unreadUpdated
        case .reset: .reset
        case .goAway: .goAway
        case .ping: .ping
        case .memberUpdated: .memberUpdated
        case .typingUpdated: .typingUpdated
        case .blockUpdated: .blockUpdated
        case .presenceUpdated: .presenceUpdated
        case .unknown: nil
        }
    }

    private var unknownName: String {
        if case .unknown(let name) = self { name } else { "" }
    }
}
