import Messaging

extension GoldenEvent {
    static let messagePinned = [
        GoldenEvent(
            "messagePinned",
            1,
            "in a group",
            payload: #"{"conversation":"group","seq":12}"#,
            reads: ConversationEvent.messagePinned(PinChanged(messageID: person(49), seq: 12, in: .group))
        )
    ]

    static let messageUnpinned = [
        GoldenEvent(
            "messageUnpinned",
            1,
            "in a direct conversation",
            payload: #"{"conversation":"direct","seq":12}"#,
            reads: ConversationEvent.messageUnpinned(PinChanged(messageID: person(49), seq: 12, in: .direct))
        )
    ]
}
