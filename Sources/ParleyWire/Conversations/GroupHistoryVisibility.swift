/// How far back a member reads.
public struct GroupHistoryVisibility: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// From the first message.
    public static let all = GroupHistoryVisibility(rawValue: "all")
    /// From the own joining.
    public static let joined = GroupHistoryVisibility(rawValue: "joined")
}
