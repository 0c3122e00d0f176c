extension StreamEvent {
    /// The caller is no longer a member.
    public struct ConversationRemoved: Codable, Hashable, Sendable {
        public var conversationId: WireID

        public init(conversationId: WireID) {
            self.conversationId = conversationId
        }
    }
}
