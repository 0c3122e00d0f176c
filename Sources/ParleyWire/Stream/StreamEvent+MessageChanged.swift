extension StreamEvent {
    /// A message as it is now; what quotes it, and the conversation's `lastMessage`, show the same.
    public struct MessageChanged: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var message: Message

        public init(conversationId: WireID, message: Message) {
            self.conversationId = conversationId
            self.message = message
        }
    }
}
