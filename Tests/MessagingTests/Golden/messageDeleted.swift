import Messaging

extension GoldenEvent {
    static let messageDeleted = [
        GoldenEvent(
            "messageDeleted",
            1,
            "of another member",
            payload: #"{"sender":"00000000-0000-4000-8000-000000000002","seq":12}"#,
            reads: ConversationEvent.messageDeleted(MessageDeleted(messageID: person(49), seq: 12, sender: grace))
        )
    ]
}
