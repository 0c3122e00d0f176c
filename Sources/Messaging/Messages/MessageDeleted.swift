package import Foundation

/// A message is taken back for everyone, or its time is over: nothing happens to it any more.
package struct MessageDeleted: Sendable, Equatable {
    package let messageID: UUID
    package let seq: Int64
    /// Who had sent it; who deleted it is the event's actor.
    package let sender: UUID
    /// Whether its time was over: then it is nobody's doing.
    package let isExpired: Bool

    package init(messageID: UUID, seq: Int64, sender: UUID, isExpired: Bool = false) {
        self.isExpired = isExpired
        self.messageID = messageID
        self.seq = seq
        self.sender = sender
    }
}
