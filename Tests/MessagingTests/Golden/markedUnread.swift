import Messaging

extension GoldenEvent {
    static let markedUnread = [
        GoldenEvent(
            "markedUnread",
            1,
            in: "views",
            "back to a mark",
            payload: #"{"person":"00000000-0000-4000-8000-000000000001","readSeq":3}"#,
            reads: ConversationEvent.markedUnread(MarkedUnread(person: ada, readSeq: 3))
        )
    ]
}
