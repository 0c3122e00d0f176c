package import Foundation

/// A message that is to be sent later, as its author gave it.
package struct ScheduledSend: Sendable, Equatable {
    /// The id that the message will have.
    package let id: UUID
    package let author: UUID
    package let conversation: UUID
    package let sendAt: Date
    /// Nil where it cannot be opened, such as once the author is erased.
    package let content: Content?
    package let createdAt: Date
    package var failure: Failure?

    /// What is sealed of it.
    package struct Content: Codable, Sendable, Equatable {
        package let text: String
        package let replyTo: UUID?
        package let mentions: [UUID]
        /// True, or nil.
        package let mentionsAll: Bool?
        package let clientTimestamp: Date?
        /// Nil where there are none.
        package let attachments: [UUID]?

        package init(
            text: String,
            replyTo: UUID?,
            mentions: [UUID],
            mentionsAll: Bool = false,
            clientTimestamp: Date?,
            attachments: [UUID] = []
        ) {
            self.attachments = attachments.isEmpty ? nil : attachments
            self.text = text
            self.replyTo = replyTo
            self.mentions = mentions
            self.mentionsAll = mentionsAll ? true : nil
            self.clientTimestamp = clientTimestamp
        }

        /// Whether it would be the same message: as for a send, the device's clock does not count.
        package func says(the other: Content) -> Bool {
            text == other.text && replyTo == other.replyTo && Set(mentions) == Set(other.mentions)
                && mentionsAll == other.mentionsAll && attachments == other.attachments
        }
    }

    /// Why it was not sent, for good.
    package struct Failure: Sendable, Equatable {
        /// The problem's code.
        package let code: String
        package let at: Date
    }

    package init(id: UUID, author: UUID, conversation: UUID, sendAt: Date, content: Content, createdAt: Date) {
        self.id = id
        self.author = author
        self.conversation = conversation
        self.sendAt = sendAt
        self.content = content
        self.createdAt = createdAt
    }

    init(
        id: UUID,
        author: UUID,
        conversation: UUID,
        sendAt: Date,
        content: Content?,
        createdAt: Date,
        failure: Failure?
    ) {
        self.id = id
        self.author = author
        self.conversation = conversation
        self.sendAt = sendAt
        self.content = content
        self.createdAt = createdAt
        self.failure = failure
    }
}
