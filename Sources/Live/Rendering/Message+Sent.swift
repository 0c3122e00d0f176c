package import Foundation
package import Messaging
package import ParleyWire
import ReadModels

extension Message {
    /// The message as its sender sees it right after sending.
    package init(_ sent: MessageSent, at time: Date, position: Int64, in conversation: UUID, replyTo: ReplyTo?) {
        self.init(
            id: WireID(sent.messageID),
            localId: WireID(sent.messageID),
            conversationId: WireID(conversation),
            seq: sent.seq,
            senderId: WireID(sent.sender),
            text: sent.text,
            replyTo: replyTo,
            forwardedFrom: sent.hops == 0 ? nil : ForwardedFrom(hops: sent.hops),
            mentions: [Mention](sent.mentions, all: sent.mentionsAll),
            attachments: sent.attachments.map(Attachment.init),
            timestamp: time,
            clientTimestamp: sent.clientTimestamp,
            expiresAt: sent.expiry(sentAt: time),
            revision: position,
            status: .sent,
            recipientCount: sent.recipientCount,
            deliveredCount: 0,
            readCount: 0,
            deliveredTo: [:],
            readBy: [:]
        )
    }
}
