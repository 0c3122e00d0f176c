/// What a member may do.
public struct ParticipantRole: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let owner = ParticipantRole(rawValue: "owner")
    public static let admin = ParticipantRole(rawValue: "admin")
    public static let member = ParticipantRole(rawValue: "member")
}
