package import Foundation

/// A message is pinned for all who may see it, or is not any more.
package struct PinChanged: Sendable, Equatable {
    package let messageID: UUID
    package let seq: Int64
    /// Where it is: the history of a direct conversation tells of nothing but messages.
    package let conversation: ConversationKind

    package init(messageID: UUID, seq: Int64, in conversation: ConversationKind) {
        self.messageID = messageID
        self.seq = seq
        self.conversation = conversation
    }
}

struct PinPayload: Codable {
    let conversation: ConversationKind
    let seq: Int64
}
