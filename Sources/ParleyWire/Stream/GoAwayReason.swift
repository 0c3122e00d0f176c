/// Why the server ends a stream.
public struct GoAwayReason: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let draining = GoAwayReason(rawValue: "draining")
    public static let tokenExpired = GoAwayReason(rawValue: "tokenExpired")
    public static let revoked = GoAwayReason(rawValue: "revoked")
    public static let replaced = GoAwayReason(rawValue: "replaced")
}
