import Foundation
import Messaging

extension GoldenEvent {
    static let messageSent = [
        GoldenEvent(
            "messageSent",
            1,
            "plain",
            payload: #"{"recipientCount":2,"seq":1}"#,
            personal: "Hi",
            reads: sent(MessageSent(messageID: person(50), sender: ada, seq: 1, text: "Hi", recipientCount: 2))
        ),
        GoldenEvent(
            "messageSent",
            1,
            "with the sender's clock",
            payload: #"{"clientTimestamp":1700000000123,"recipientCount":0,"seq":999999999999}"#,
            personal: "",
            reads: sent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 999_999_999_999,
                    text: "",
                    clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.123),
                    recipientCount: 0
                )
            )
        ),
        GoldenEvent(
            "messageSent",
            1,
            "with everything",
            payload: #"{"clientTimestamp":1700000000500,"mentions":["00000000-0000-4000-8000-000000000002","#
                + #""00000000-0000-4000-8000-000000000001"],"recipientCount":3,"#
                + #""replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"seq":12}"#,
            personal: "See \"you\" \u{202E}at 7 \u{1F3D4}\n",
            reads: sent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "See \"you\" \u{202E}at 7 \u{1F3D4}\n",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    mentions: [grace, ada],
                    clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.5),
                    recipientCount: 3
                )
            )
        ),
        GoldenEvent(
            "messageSent",
            1,
            "with its reply alone",
            payload: #"{"recipientCount":1,"replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"seq":12}"#,
            personal: "Yes",
            reads: sent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Yes",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    recipientCount: 1
                )
            )
        ),
        GoldenEvent(
            "messageSent",
            1,
            "in another order, with fractions of a millisecond",
            .earlier,
            payload: #"{ "seq": 1, "recipientCount": 2, "clientTimestamp": 1700000000123.5 }"#,
            personal: "Hi",
            reads: sent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 1,
                    text: "Hi",
                    clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.1235),
                    recipientCount: 2
                )
            )
        ),
        GoldenEvent(
            "messageSent",
            1,
            "without the sender's key",
            .erased,
            payload: #"{"recipientCount":2,"seq":1}"#,
            reads: sent(MessageSent(messageID: person(50), sender: ada, seq: 1, text: nil, recipientCount: 2))
        ),
    ]

    private static func sent(_ sent: MessageSent) -> ConversationEvent { .messageSent(sent) }
}
