import Messaging

extension GoldenEvent {
    static let participantAdded = [
        GoldenEvent(
            "participantAdded",
            1,
            "a newcomer",
            payload: #"{"headSeq":7,"person":"00000000-0000-4000-8000-000000000001","role":"admin"}"#,
            reads: ConversationEvent.participantAdded(ParticipantAdded(person: ada, role: .admin, headSeq: 7))
        )
    ]
}
