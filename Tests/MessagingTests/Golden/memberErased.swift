import Messaging

extension GoldenEvent {
    static let memberErased = [
        GoldenEvent(
            "memberErased",
            1,
            "one who is erased",
            payload: #"{"headSeq":7,"person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 7))
        )
    ]
}
