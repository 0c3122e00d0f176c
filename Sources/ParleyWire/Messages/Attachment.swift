/// A file of a message; its URLs are paths of this server, and carry a capability for that file and the caller's session.
public struct Attachment: Codable, Hashable, Sendable {
    public var id: WireID
    public var kind: AttachmentKind
    public var contentType: String
    public var bytes: Int64
    @Nullable public var name: String?
    @Nullable public var width: Int?
    @Nullable public var height: Int?
    @Nullable public var blurhash: String?
    @Nullable public var durationMs: Int?
    /// How loud it is, from its beginning to its end.
    @Nullable public var waveform: [Int]?
    public var url: String
    @Nullable public var thumbnailURL: String?

    public init(
        id: WireID,
        kind: AttachmentKind,
        contentType: String,
        bytes: Int64,
        name: String? = nil,
        width: Int? = nil,
        height: Int? = nil,
        blurhash: String? = nil,
        durationMs: Int? = nil,
        waveform: [Int]? = nil,
        url: String,
        thumbnailURL: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.contentType = contentType
        self.bytes = bytes
        self.name = name
        self.width = width
        self.height = height
        self.blurhash = blurhash
        self.durationMs = durationMs
        self.waveform = waveform
        self.url = url
        self.thumbnailURL = thumbnailURL
    }
}
