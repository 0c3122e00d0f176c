extension StreamEvent {
    /// Unread counts, absolute.
    public struct UnreadUpdated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var unreadCount: Int
        public var mentionCount: Int
        @Nullable public var firstUnreadSeq: Int64?
        public var totalUnread: Int
        /// Without what is muted.
        public var totalUnreadUnmuted: Int
        /// Unread mentions in all conversations, muted ones too.
        public var totalMentions: Int

        public init(
            conversationId: WireID,
            unreadCount: Int,
            mentionCount: Int = 0,
            firstUnreadSeq: Int64?,
            totalUnread: Int,
            totalUnreadUnmuted: Int? = nil,
            totalMentions: Int = 0
        ) {
            self.conversationId = conversationId
            self.unreadCount = unreadCount
            self.mentionCount = mentionCount
            self.firstUnreadSeq = firstUnreadSeq
            self.totalUnread = totalUnread
            self.totalUnreadUnmuted = totalUnreadUnmuted ?? totalUnread
            self.totalMentions = totalMentions
        }
    }
}
