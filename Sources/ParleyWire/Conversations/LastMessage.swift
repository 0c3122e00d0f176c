public import Foundation

/// The newest message of a conversation, in short.
public struct LastMessage: Codable, Hashable, Sendable {
    public var id: WireID
    public var seq: Int64
    public var senderId: WireID
    /// null once deleted or erased.
    @Nullable public var text: String?
    public var kind: MessageKind
    /// Of what kinds its files are; left out where it has none.
    public var attachments: [AttachmentKind]?
    public var timestamp: Date
    /// Only there where the message is deleted.
    public var deletedAt: Date?

    public init(
        id: WireID,
        seq: Int64,
        senderId: WireID,
        text: String?,
        kind: MessageKind = .text,
        attachments: [AttachmentKind]? = nil,
        timestamp: Date,
        deletedAt: Date? = nil
    ) {
        self.id = id
        self.seq = seq
        self.senderId = senderId
        self.text = text
        self.kind = kind
        self.attachments = attachments
        self.timestamp = timestamp
        self.deletedAt = deletedAt
    }
}
