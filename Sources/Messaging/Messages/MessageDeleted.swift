package import Foundation

/// A message is taken back for everyone: nothing happens to it any more.
package struct MessageDeleted: Sendable, Equatable {
    package let messageID: UUID
    package let seq: Int64
    /// Who had sent it; who deleted it is the event's actor.
    package let sender: UUID

    package init(messageID: UUID, seq: Int64, sender: UUID) {
        self.messageID = messageID
        self.seq = seq
        self.sender = sender
    }
}
