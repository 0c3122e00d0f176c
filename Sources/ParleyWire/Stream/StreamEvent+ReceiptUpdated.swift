extension StreamEvent {
    /// Marks that moved, absolute.
    public struct ReceiptUpdated: Codable, Hashable, Sendable {
        public var conversationId: WireID
        public var receipts: [ReceiptMark]

        public init(conversationId: WireID, receipts: [ReceiptMark]) {
            self.conversationId = conversationId
            self.receipts = receipts
        }
    }
}
