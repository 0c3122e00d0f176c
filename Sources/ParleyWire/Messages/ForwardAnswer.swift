/// The answer to `POST …/messages/{messageId}/forward`: one item for each conversation that was asked, in their order.
public struct ForwardAnswer: Codable, Hashable, Sendable {
    public var items: [Item]

    public init(items: [Item]) {
        self.items = items
    }

    /// The message as it stands there, or a `code` that says why it does not.
    public struct Item: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var message: Message?
        /// A `ProblemCode`, as text because a later version may add some.
        public var code: String?

        public init(conversationId: WireID, message: Message) {
            self.conversationId = conversationId
            self.message = message
        }

        public init(conversationId: WireID, code: ProblemCode) {
            self.conversationId = conversationId
            self.code = code.rawValue
        }
    }
}
