/// The message that another one answers.
public struct ReplyTo: Codable, Hashable, Sendable {
    public var id: WireID
    public var seq: Int64
    public var senderId: WireID
    /// null once deleted or erased.
    @Nullable public var text: String?
    /// Of what kinds its files are; left out where it has none.
    public var attachments: [AttachmentKind]?

    public init(id: WireID, seq: Int64, senderId: WireID, text: String?, attachments: [AttachmentKind]? = nil) {
        self.id = id
        self.seq = seq
        self.senderId = senderId
        self.text = text
        self.attachments = attachments
    }
}
