/// The kind of push service that reaches a device.
public struct DevicePlatform: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let fcm = DevicePlatform(rawValue: "fcm")
    public static let apns = DevicePlatform(rawValue: "apns")
    public static let webpush = DevicePlatform(rawValue: "webpush")
}
