extension StreamEvent {
    /// A new message; implies the new `lastMessage`, `headSeq` and `updatedAt`.
    public struct MessageCreated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var message: Message
        public var sender: UserSummary

        public init(conversationId: WireID, message: Message, sender: UserSummary) {
            self.conversationId = conversationId
            self.message = message
            self.sender = sender
        }
    }
}
