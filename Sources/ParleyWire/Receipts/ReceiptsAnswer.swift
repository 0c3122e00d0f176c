/// The answer to `POST /v1/receipts`: one item for each that was asked.
public struct ReceiptsAnswer: Codable, Hashable, Sendable {
    public var items: [Item]

    public init(items: [Item]) {
        self.items = items
    }

    /// Where the caller's marks stand now, or a `code` that says why not.
    public struct Item: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var deliveredSeq: Int64?
        public var readSeq: Int64?
        public var unreadCount: Int?
        /// A `ProblemCode`, as text because a later version may add some.
        public var code: String?

        public init(conversationId: WireID, deliveredSeq: Int64, readSeq: Int64, unreadCount: Int) {
            self.conversationId = conversationId
            self.deliveredSeq = deliveredSeq
            self.readSeq = readSeq
            self.unreadCount = unreadCount
        }

        public init(conversationId: WireID, code: ProblemCode) {
            self.conversationId = conversationId
            self.code = code.rawValue
        }
    }
}
