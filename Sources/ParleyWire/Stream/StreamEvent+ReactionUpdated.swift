extension StreamEvent {
    /// All reactions to a message as they are now.
    public struct ReactionUpdated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var messageId: WireID
        public var reactions: [Reaction]
        /// The message's.
        public var revision: Int64

        public init(conversationId: WireID, messageId: WireID, reactions: [Reaction], revision: Int64) {
            self.conversationId = conversationId
            self.messageId = messageId
            self.reactions = reactions
            self.revision = revision
        }
    }
}
