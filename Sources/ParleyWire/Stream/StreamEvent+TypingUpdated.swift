extension StreamEvent {
    /// Somebody is typing, or has stopped. Never stored: what is not said again ends by itself.
    public struct TypingUpdated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var userId: WireID
        public var typing: Bool
        /// How long it holds from now on.
        public var expiresInMs: Int

        public init(conversationId: WireID, userId: WireID, typing: Bool, expiresInMs: Int) {
            self.conversationId = conversationId
            self.userId = userId
            self.typing = typing
            self.expiresInMs = expiresInMs
        }
    }
}
