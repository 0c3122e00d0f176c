package import Foundation

/// A member reacts to a message, or takes a reaction back.
package struct ReactionChanged: Sendable, Equatable {
    package let messageID: UUID
    package let seq: Int64
    package let person: UUID
    package let emoji: Emoji
    /// The message's reactions after it: how many members have given each. Whoever is erased since counts on.
    package let counts: [Emoji: Int]

    package init(messageID: UUID, seq: Int64, person: UUID, emoji: Emoji, counts: [Emoji: Int]) {
        self.messageID = messageID
        self.seq = seq
        self.person = person
        self.emoji = emoji
        self.counts = counts
    }
}
