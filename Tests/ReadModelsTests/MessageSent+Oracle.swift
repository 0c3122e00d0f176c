import Foundation
import Messaging

extension MessageSent {
    /// The message as it reads once its sender's key is destroyed.
    var withoutText: MessageSent { with(text: nil) }

    func mentions(_ person: UUID) -> Bool { mentionsAll || mentions.contains(person) }

    /// What is left of a deleted message.
    var tombstone: MessageSent {
        MessageSent(
            messageID: messageID,
            sender: sender,
            seq: seq,
            text: nil,
            clientTimestamp: clientTimestamp,
            recipientCount: recipientCount
        )
    }

    func with(text: String?) -> MessageSent {
        MessageSent(
            messageID: messageID,
            sender: sender,
            seq: seq,
            text: text,
            replyTo: replyTo,
            mentions: mentions,
            mentionsAll: mentionsAll,
            clientTimestamp: clientTimestamp,
            recipientCount: recipientCount,
            hops: hops,
            retention: retention,
            pacedAt: pacedAt,
            attachments: text == nil ? [] : attachments
        )
    }
}
