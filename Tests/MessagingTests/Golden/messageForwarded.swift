import Foundation
import Messaging

extension GoldenEvent {
    static let messageForwarded = [
        GoldenEvent(
            "messageForwarded",
            1,
            "passed on",
            payload: #"{"hops":3,"recipientCount":2,"seq":7}"#,
            personal: "Hi",
            reads: forwarded("Hi", hops: 3)
        ),
        GoldenEvent(
            "messageForwarded",
            1,
            "with everything",
            payload: #"{"clientTimestamp":1700000000500,"hops":2,"mentions":["00000000-0000-4000-8000-000000000002"],"#
                + #""recipientCount":3,"replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"seq":12}"#,
            personal: "Hi",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    mentions: [grace],
                    clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.5),
                    recipientCount: 3,
                    hops: 2
                )
            )
        ),
        GoldenEvent(
            "messageForwarded",
            1,
            "without the key",
            .erased,
            payload: #"{"hops":1,"recipientCount":2,"seq":7}"#,
            reads: forwarded(nil, hops: 1)
        ),
    ]

    private static func forwarded(_ text: String?, hops: Int) -> ConversationEvent {
        .messageSent(
            MessageSent(messageID: person(50), sender: ada, seq: 7, text: text, recipientCount: 2, hops: hops)
        )
    }
}
