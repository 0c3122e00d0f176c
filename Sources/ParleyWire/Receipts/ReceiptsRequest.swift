/// `POST /v1/receipts`: at most 200.
public struct ReceiptsRequest: Codable, Hashable, Sendable {
    public var receipts: [Advance]

    public init(receipts: [Advance]) {
        self.receipts = receipts
    }

    /// How far the caller says to have received and read one conversation; absent says nothing.
    public struct Advance: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var deliveredSeq: Int64?
        public var readSeq: Int64?

        public init(conversationId: WireID, deliveredSeq: Int64? = nil, readSeq: Int64? = nil) {
            self.conversationId = conversationId
            self.deliveredSeq = deliveredSeq
            self.readSeq = readSeq
        }
    }
}
