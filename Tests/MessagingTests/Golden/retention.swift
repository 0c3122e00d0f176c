import Foundation
import Messaging

extension GoldenEvent {
    static let limitedMessageSent = [
        GoldenEvent(
            "limitedMessageSent",
            1,
            "with everything",
            payload: #"{"clientTimestamp":1500,"hops":2,"mentions":["00000000-0000-4000-8000-000000000002"],"#
                + #""recipientCount":2,"replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"#
                + #""retention":86400,"seq":12}"#,
            personal: "Hi you",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi you",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    mentions: [grace],
                    clientTimestamp: Date(timeIntervalSince1970: 1.5),
                    recipientCount: 2,
                    hops: 2,
                    retention: 86_400
                )
            )
        ),
        GoldenEvent(
            "limitedMessageSent",
            1,
            "with a time alone",
            payload: #"{"recipientCount":2,"retention":3600,"seq":12}"#,
            personal: "Hi you",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi you",
                    recipientCount: 2,
                    retention: 3_600
                )
            )
        ),
        GoldenEvent(
            "limitedMessageSent",
            1,
            "with a pace alone",
            payload: #"{"pacedAt":1000000500,"recipientCount":2,"seq":12}"#,
            personal: "Hi you",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi you",
                    recipientCount: 2,
                    pacedAt: Date(timeIntervalSince1970: 1_000_000.5)
                )
            )
        ),
        GoldenEvent(
            "limitedMessageSent",
            1,
            "with a mention of everyone alone",
            payload: #"{"mentionsAll":true,"recipientCount":2,"seq":12}"#,
            personal: "Hi you",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi you",
                    mentionsAll: true,
                    recipientCount: 2
                )
            )
        ),
        GoldenEvent(
            "limitedMessageSent",
            1,
            "with a mention of everyone and more",
            payload: #"{"clientTimestamp":1500,"mentions":["00000000-0000-4000-8000-000000000002"],"mentionsAll":true,"#
                + #""recipientCount":2,"replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"#
                + #""retention":86400,"seq":12}"#,
            personal: "Hi you",
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi you",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    mentions: [grace],
                    mentionsAll: true,
                    clientTimestamp: Date(timeIntervalSince1970: 1.5),
                    recipientCount: 2,
                    retention: 86_400
                )
            )
        ),
        GoldenEvent(
            "limitedMessageSent",
            1,
            "by somebody who is erased",
            .erased,
            payload: #"{"recipientCount":2,"retention":3600,"seq":12}"#,
            reads: ConversationEvent.messageSent(
                MessageSent(messageID: person(50), sender: ada, seq: 12, text: nil, recipientCount: 2, retention: 3_600)
            )
        ),
    ]

    static let messageExpired = [
        GoldenEvent(
            "messageExpired",
            1,
            "of a member",
            payload: #"{"sender":"00000000-0000-4000-8000-000000000002","seq":12}"#,
            reads: ConversationEvent.messageDeleted(
                MessageDeleted(messageID: person(49), seq: 12, sender: grace, isExpired: true)
            )
        )
    ]

    static let retentionChanged = [
        GoldenEvent(
            "retentionChanged",
            1,
            "to a day",
            payload: #"{"seconds":86400}"#,
            reads: ConversationEvent.retentionChanged(RetentionChanged(seconds: 86_400))
        ),
        GoldenEvent(
            "retentionChanged",
            1,
            "to for ever",
            payload: "{}",
            reads: ConversationEvent.retentionChanged(RetentionChanged(seconds: nil))
        ),
    ]
}
