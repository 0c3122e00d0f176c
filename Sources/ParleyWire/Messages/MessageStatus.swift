/// How far a message of the caller's own has come with all its recipients.
public struct MessageStatus: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let sent = MessageStatus(rawValue: "sent")
    public static let delivered = MessageStatus(rawValue: "delivered")
    public static let read = MessageStatus(rawValue: "read")
}
