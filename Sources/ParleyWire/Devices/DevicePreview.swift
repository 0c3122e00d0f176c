/// How much a notification shows of a message.
public struct DevicePreview: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let full = DevicePreview(rawValue: "full")
    public static let sender = DevicePreview(rawValue: "sender")
    public static let none = DevicePreview(rawValue: "none")
}
