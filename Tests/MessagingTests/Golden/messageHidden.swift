import Messaging

extension GoldenEvent {
    static let messageHidden = [
        GoldenEvent(
            "messageHidden",
            1,
            in: "views",
            "from its sender",
            payload:
                #"{"messageID":"00000000-0000-4000-8000-000000000031","person":"00000000-0000-4000-8000-000000000001","#
                + #""seq":3}"#,
            reads: ConversationEvent.messageHidden(MessageHidden(person: ada, messageID: person(0x31), seq: 3))
        )
    ]
}
