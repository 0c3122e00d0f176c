/// By what a device holds its session.
public struct SessionKind: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// By tokens, which the device keeps: apps.
    public static let tokens = SessionKind(rawValue: "tokens")
    /// By a cookie that no script can read: browsers.
    public static let cookie = SessionKind(rawValue: "cookie")
}
