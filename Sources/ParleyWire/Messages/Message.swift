public import Foundation

/// A message as the caller sees it: the last six fields are null unless it is the caller's own.
public struct Message: Codable, Hashable, Sendable {
    public var id: WireID
    /// Equals `id`.
    public var localId: WireID
    public var conversationId: WireID
    /// 1, 2, 3, … in each conversation; null only for kinds that are not counted.
    @Nullable public var seq: Int64?
    public var senderId: WireID
    public var kind: MessageKind
    /// Unchanged as it was sent; null once deleted or erased.
    @Nullable public var text: String?
    @Nullable public var data: JSONValue?
    @Nullable public var replyTo: ReplyTo?
    /// Left out where it was written here.
    public var forwardedFrom: ForwardedFrom?
    public var mentions: [Mention]
    public var attachments: [Attachment]
    public var reactions: [Reaction]
    /// The server's time of acceptance.
    public var timestamp: Date
    @Nullable public var clientTimestamp: Date?
    @Nullable public var editedAt: Date?
    /// When it goes by itself; only there where it does.
    public var expiresAt: Date?
    @Nullable public var deletedAt: Date?
    /// Who took the message back, its sender or an owner or admin of the group; only there where it is deleted, and did not
    /// go by itself.
    public var deletedBy: WireID?
    /// Only there, and true, where the caller has deleted it for oneself: `deletedAt` says when.
    public var deletedForMe: Bool?
    /// When it was pinned for all; only there where it is, and so is who pinned it.
    public var pinnedAt: Date?
    public var pinnedBy: WireID?
    /// Grows with every change of what the message shows, within its conversation; marks of receipts apart.
    public var revision: Int64
    @Nullable public var status: MessageStatus?
    @Nullable public var recipientCount: Int?
    @Nullable public var deliveredCount: Int?
    @Nullable public var readCount: Int?
    /// Filled for up to 50 recipients.
    @Nullable public var deliveredTo: [WireID: Date]?
    /// Filled for up to 50 recipients.
    @Nullable public var readBy: [WireID: Date]?

    public init(
        id: WireID,
        localId: WireID,
        conversationId: WireID,
        seq: Int64?,
        senderId: WireID,
        kind: MessageKind = .text,
        text: String?,
        data: JSONValue? = nil,
        replyTo: ReplyTo? = nil,
        forwardedFrom: ForwardedFrom? = nil,
        mentions: [Mention] = [],
        attachments: [Attachment] = [],
        reactions: [Reaction] = [],
        timestamp: Date,
        clientTimestamp: Date? = nil,
        editedAt: Date? = nil,
        expiresAt: Date? = nil,
        deletedAt: Date? = nil,
        deletedBy: WireID? = nil,
        deletedForMe: Bool? = nil,
        pinnedAt: Date? = nil,
        pinnedBy: WireID? = nil,
        revision: Int64,
        status: MessageStatus? = nil,
        recipientCount: Int? = nil,
        deliveredCount: Int? = nil,
        readCount: Int? = nil,
        deliveredTo: [WireID: Date]? = nil,
        readBy: [WireID: Date]? = nil
    ) {
        self.id = id
        self.localId = localId
        self.conversationId = conversationId
        self.seq = seq
        self.senderId = senderId
        self.kind = kind
        self.text = text
        self.data = data
        self.replyTo = replyTo
        self.forwardedFrom = forwardedFrom
        self.mentions = mentions
        self.attachments = attachments
        self.reactions = reactions
        self.timestamp = timestamp
        self.clientTimestamp = clientTimestamp
        self.editedAt = editedAt
        self.expiresAt = expiresAt
        self.deletedAt = deletedAt
        self.deletedBy = deletedBy
        self.deletedForMe = deletedForMe
        self.pinnedAt = pinnedAt
        self.pinnedBy = pinnedBy
        self.revision = revision
        self.status = status
        self.recipientCount = recipientCount
        self.deliveredCount = deliveredCount
        self.readCount = readCount
        self.deliveredTo = deliveredTo
        self.readBy = readBy
    }
}
