package import Foundation

package struct SendMessage: Sendable, Equatable {
    package let messageID: UUID
    package let sender: UUID
    package let text: String
    package let replyTo: MessageReference?
    package let mentions: [UUID]
    /// Whether it mentions everyone in the conversation.
    package let mentionsAll: Bool
    package let clientTimestamp: Date?
    /// How often it was passed on, with this time; 0 for what is written here.
    package let hops: Int
    /// Server time, in whole milliseconds; of account only where members have to wait between two messages.
    package let now: Date
    /// Files of the sender's that are there and belong to this message.
    package let attachments: [AttachedFile]

    package init(
        messageID: UUID,
        sender: UUID,
        text: String,
        replyTo: MessageReference?,
        mentions: [UUID],
        mentionsAll: Bool = false,
        clientTimestamp: Date?,
        hops: Int = 0,
        now: Date = Date(timeIntervalSince1970: 0),
        attachments: [AttachedFile] = []
    ) {
        self.attachments = attachments
        self.hops = hops
        self.now = now
        self.messageID = messageID
        self.sender = sender
        self.text = text
        self.replyTo = replyTo
        self.mentions = mentions
        self.mentionsAll = mentionsAll
        self.clientTimestamp = clientTimestamp
    }
}

/// Several messages of one sender, in their order.
package struct SendMessages: Sendable, Equatable {
    package let messages: [SendMessage]
    /// Which of them answers which one before it, by their places.
    package let answers: [Int: Int]

    package init(messages: [SendMessage], answers: [Int: Int] = [:]) {
        self.messages = messages
        self.answers = answers
    }
}
