/// Which messages notify the caller.
public struct NotificationLevel: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let all = NotificationLevel(rawValue: "all")
    public static let mentions = NotificationLevel(rawValue: "mentions")
    public static let none = NotificationLevel(rawValue: "none")
}
