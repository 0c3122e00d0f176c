/// `GET /v1/sync` without `since`: all that a client needs to start.
public struct SyncSnapshot: Codable, Hashable, Sendable {
    public var me: Me
    public var totalUnread: Int
    /// Without what is muted.
    public var totalUnreadUnmuted: Int
    /// Unread mentions in all conversations, muted ones too.
    public var totalMentions: Int
    /// The newest by activity.
    public var conversations: [Entry]
    /// Continues `GET /v1/conversations` after these; null where there are no more.
    @Nullable public var nextCursor: String?
    /// Everyone named.
    public var users: [WireID: UserSummary]
    /// Where the stream goes on.
    public var cursor: String

    public init(
        me: Me,
        totalUnread: Int,
        totalUnreadUnmuted: Int? = nil,
        totalMentions: Int = 0,
        conversations: [Entry],
        nextCursor: String?,
        users: [WireID: UserSummary],
        cursor: String
    ) {
        self.me = me
        self.totalUnread = totalUnread
        self.totalUnreadUnmuted = totalUnreadUnmuted ?? totalUnread
        self.totalMentions = totalMentions
        self.conversations = conversations
        self.nextCursor = nextCursor
        self.users = users
        self.cursor = cursor
    }

    /// A conversation with its newest messages.
    public struct Entry: Codable, Hashable, Sendable {
        public var conversation: Conversation
        public var timeline: HistoryPage

        public init(conversation: Conversation, timeline: HistoryPage) {
            self.conversation = conversation
            self.timeline = timeline
        }
    }
}
