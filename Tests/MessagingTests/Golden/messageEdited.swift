import Messaging

extension GoldenEvent {
    static let messageEdited = [
        GoldenEvent(
            "messageEdited",
            1,
            "another text",
            payload: #"{"seq":12}"#,
            personal: "Hi again",
            reads: ConversationEvent.messageEdited(MessageEdited(messageID: person(49), seq: 12, text: "Hi again"))
        ),
        GoldenEvent(
            "messageEdited",
            1,
            "without the author's key",
            .erased,
            payload: #"{"seq":12}"#,
            reads: ConversationEvent.messageEdited(MessageEdited(messageID: person(49), seq: 12, text: nil))
        ),
    ]
}
