import Messaging

extension GoldenEvent {
    static let receiptsAdvanced = [
        GoldenEvent(
            "receiptsAdvanced",
            1,
            in: "receipts",
            "of two people, one of whom reads without telling",
            payload: #"{"marks":[{"deliveredSeq":3,"person":"00000000-0000-4000-8000-000000000001","readSeq":2},"#
                + #"{"deliveredSeq":9,"person":"00000000-0000-4000-8000-000000000002","publicReadSeq":4,"readSeq":8}]}"#,
            reads: ConversationEvent.receiptsAdvanced(
                ReceiptsAdvanced(marks: [
                    .init(person: ada, deliveredSeq: 3, readSeq: 2),
                    .init(person: grace, deliveredSeq: 9, readSeq: 8, publicReadSeq: 4),
                ])
            )
        )
    ]
}
