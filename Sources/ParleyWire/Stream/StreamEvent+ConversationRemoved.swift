extension StreamEvent {
    /// The caller is no longer a member.
    public struct ConversationRemoved: Codable, Hashable, Sendable {
        public var conversationId: WireID
        /// Above that of the conversation as it was, and below that of the one to which the caller may come back.
        public var revision: Int64

        public init(conversationId: WireID, revision: Int64) {
            self.conversationId = conversationId
            self.revision = revision
        }
    }
}
