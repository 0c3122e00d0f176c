package import Foundation
package import ParleyWire

/// What a notification for a person about a conversation is made of.
package struct PushSubject: Sendable, Hashable {
    package let conversation: UUID
    package let person: UUID
    /// The oldest message that it may be about.
    package let fromSeq: Int64
    /// The newest message that it is about.
    package let seq: Int64

    package init(conversation: UUID, person: UUID, fromSeq: Int64, seq: Int64) {
        self.conversation = conversation
        self.person = person
        self.fromSeq = fromSeq
        self.seq = seq
    }
}

/// How a person stands to a conversation and to a message in it, at this moment.
package struct PushFacts: Sendable, Equatable {
    /// So many messages are counted at most.
    package static let mostNews = 200

    package struct Message: Sendable, Equatable {
        package let id: UUID
        package let sender: UUID
        /// Nil where the sender has none, or is erased.
        package let senderName: String?
        /// Nil once the sender is erased.
        package let text: String?
        package let files: [AttachmentKind]
        package let isDeleted: Bool
        package let mentionsPerson: Bool
        package let isSenderBlocked: Bool

        package init(
            id: UUID,
            sender: UUID,
            senderName: String?,
            text: String?,
            files: [AttachmentKind] = [],
            isDeleted: Bool = false,
            mentionsPerson: Bool = false,
            isSenderBlocked: Bool = false
        ) {
            self.id = id
            self.sender = sender
            self.senderName = senderName
            self.text = text
            self.files = files
            self.isDeleted = isDeleted
            self.mentionsPerson = mentionsPerson
            self.isSenderBlocked = isSenderBlocked
        }
    }

    package var isMember = true
    package var mutedUntil: Date?
    package var level = NotificationLevel.all
    package var readSeq: Int64 = 0
    /// Messages of the conversation that the person has not read.
    package var unread = 0
    /// What the person is to be told of what it is about: without what is deleted, what those have said whom the person
    /// blocks, and what mentions the person not where nothing else is wanted. Counted up to ``mostNews``.
    package var news = 0
    /// All that the person has not read, without what is muted.
    package var badge = 0
    /// Nil in a direct conversation.
    package var groupName: String?
    package var message: Message?

    package init() {}
}
