/// Who may come into a group by themselves.
public struct GroupJoinPolicy: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let invite = GroupJoinPolicy(rawValue: "invite")
    public static let open = GroupJoinPolicy(rawValue: "open")
}
