package import Foundation

/// What the log was seen to say of one message, for a command about it.
///
/// A conversation has too many messages for its state to know them. So what a command needs of one is read from the log
/// before it is given, and brought up to date by ``Conversation/current(_:)`` when it is decided.
package struct MessageFacts: Sendable, Equatable {
    package let id: UUID
    package let seq: Int64
    package let sender: UUID
    package let sentAt: Date
    /// When its time is over; nil for never.
    package let expiresAt: Date?
    package var isDeleted: Bool
    /// How many members have given each reaction.
    package var reactions: [Emoji: Int]
    /// Whether the person who asks has given the reaction that the command is about.
    package var hasReacted: Bool
    /// What it says; nil where that was not asked, or is gone.
    package var text: String?
    /// The version of the conversation's stream at which this was so.
    package let version: Int64

    package init(
        id: UUID,
        seq: Int64,
        sender: UUID,
        sentAt: Date,
        expiresAt: Date? = nil,
        isDeleted: Bool = false,
        reactions: [Emoji: Int] = [:],
        hasReacted: Bool = false,
        text: String? = nil,
        version: Int64
    ) {
        self.id = id
        self.seq = seq
        self.sender = sender
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.isDeleted = isDeleted
        self.reactions = reactions
        self.hasReacted = hasReacted
        self.text = text
        self.version = version
    }
}
