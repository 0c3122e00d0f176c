/// A file of a message; its URLs carry a capability for that file.
public struct Attachment: Codable, Hashable, Sendable {
    public var id: WireID
    public var contentType: String
    public var bytes: Int64
    @Nullable public var width: Int?
    @Nullable public var height: Int?
    @Nullable public var blurhash: String?
    public var url: String
    @Nullable public var thumbnailURL: String?

    public init(
        id: WireID,
        contentType: String,
        bytes: Int64,
        width: Int? = nil,
        height: Int? = nil,
        blurhash: String? = nil,
        url: String,
        thumbnailURL: String? = nil
    ) {
        self.id = id
        self.contentType = contentType
        self.bytes = bytes
        self.width = width
        self.height = height
        self.blurhash = blurhash
        self.url = url
        self.thumbnailURL = thumbnailURL
    }
}
