/// What an attachment is shown as.
public struct AttachmentKind: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let image = AttachmentKind(rawValue: "image")
    public static let file = AttachmentKind(rawValue: "file")
    public static let audio = AttachmentKind(rawValue: "audio")
}
