package import Foundation

/// A member has deleted a message for oneself: nobody else learns of it, and nothing of the message changes.
package struct MessageHidden: Sendable, Equatable, Codable {
    package let person: UUID
    package let messageID: UUID
    package let seq: Int64

    package init(person: UUID, messageID: UUID, seq: Int64) {
        self.person = person
        self.messageID = messageID
        self.seq = seq
    }
}
