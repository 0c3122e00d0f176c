package import Foundation

/// A message's author has given it another text.
package struct MessageEdited: Sendable, Equatable {
    package let messageID: UUID
    package let seq: Int64
    /// nil once the author is erased.
    package let text: String?

    package init(messageID: UUID, seq: Int64, text: String?) {
        self.messageID = messageID
        self.seq = seq
        self.text = text
    }
}
