import Foundation
import Messaging

extension GoldenEvent {
    static let attachmentsSent = [
        GoldenEvent(
            "attachmentsSent",
            1,
            "a picture alone",
            payload: #"{"attachments":["00000000-0000-4000-8000-000000000033"],"recipientCount":2,"seq":7}"#,
            personal: #"{"files":[{"bytes":2048,"contentType":"image/jpeg","height":40,"#
                + #""id":"00000000-0000-4000-8000-000000000033","kind":"image","width":60}],"text":""}"#,
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 7,
                    text: "",
                    recipientCount: 2,
                    attachments: [
                        AttachedFile(
                            id: person(51),
                            kind: .image,
                            contentType: "image/jpeg",
                            bytes: 2_048,
                            width: 60,
                            height: 40
                        )
                    ]
                )
            )
        ),
        GoldenEvent(
            "attachmentsSent",
            1,
            "with everything",
            payload:
                #"{"attachments":["00000000-0000-4000-8000-000000000033"],"clientTimestamp":1700000000500,"hops":2,"#
                + #""mentions":["00000000-0000-4000-8000-000000000002"],"mentionsAll":true,"pacedAt":1700000000000,"#
                + #""recipientCount":3,"replyTo":{"id":"00000000-0000-4000-8000-000000000031","seq":11},"retention":60,"#
                + #""seq":12}"#,
            personal: #"{"files":[{"blurhash":"L0","bytes":5,"contentType":"audio/ogg","durationMs":1500,"height":1,"#
                + #""id":"00000000-0000-4000-8000-000000000033","kind":"audio","name":"Ada.ogg","waveform":[0,255],"#
                + #""width":2}],"text":"Hi"}"#,
            reads: ConversationEvent.messageSent(
                MessageSent(
                    messageID: person(50),
                    sender: ada,
                    seq: 12,
                    text: "Hi",
                    replyTo: MessageReference(id: person(49), seq: 11),
                    mentions: [grace],
                    mentionsAll: true,
                    clientTimestamp: Date(timeIntervalSince1970: 1_700_000_000.5),
                    recipientCount: 3,
                    hops: 2,
                    retention: 60,
                    pacedAt: Date(timeIntervalSince1970: 1_700_000_000),
                    attachments: [
                        AttachedFile(
                            id: person(51),
                            kind: .audio,
                            contentType: "audio/ogg",
                            bytes: 5,
                            name: "Ada.ogg",
                            width: 2,
                            height: 1,
                            blurhash: "L0",
                            durationMs: 1_500,
                            waveform: [0, 255]
                        )
                    ]
                )
            )
        ),
        GoldenEvent(
            "attachmentsSent",
            1,
            "without the key",
            .erased,
            payload: #"{"attachments":["00000000-0000-4000-8000-000000000033"],"recipientCount":2,"seq":7}"#,
            reads: ConversationEvent.messageSent(
                MessageSent(messageID: person(50), sender: ada, seq: 7, text: nil, recipientCount: 2)
            )
        ),
    ]
}
