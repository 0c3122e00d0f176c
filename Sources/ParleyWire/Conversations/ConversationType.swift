/// Two people, or a group.
public struct ConversationType: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let direct = ConversationType(rawValue: "direct")
    public static let group = ConversationType(rawValue: "group")
}
