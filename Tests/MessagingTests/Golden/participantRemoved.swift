import Messaging

extension GoldenEvent {
    static let participantRemoved = [
        GoldenEvent(
            "participantRemoved",
            1,
            "one who was removed",
            payload: #"{"headSeq":7,"person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.participantRemoved(ParticipantRemoved(person: ada, headSeq: 7))
        ),
        GoldenEvent(
            "participantRemoved",
            1,
            "one who left",
            payload: #"{"hasLeft":true,"headSeq":7,"person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.participantRemoved(ParticipantRemoved(person: ada, headSeq: 7, hasLeft: true))
        ),
    ]
}
