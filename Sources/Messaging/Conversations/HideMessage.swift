package import Foundation

/// A member deletes for oneself a message that one sees, and has not hidden yet.
package struct HideMessage: Sendable, Equatable {
    package let person: UUID
    package let messageID: UUID
    package let seq: Int64

    package init(person: UUID, messageID: UUID, seq: Int64) {
        self.person = person
        self.messageID = messageID
        self.seq = seq
    }
}
