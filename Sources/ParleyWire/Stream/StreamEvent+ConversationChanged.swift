extension StreamEvent {
    /// The whole conversation, new to the caller or changed.
    public struct ConversationChanged: Codable, Hashable, Sendable {
        public var conversation: Conversation

        public init(conversation: Conversation) {
            self.conversation = conversation
        }
    }
}
