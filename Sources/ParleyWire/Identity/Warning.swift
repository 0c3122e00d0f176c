/// What the caller should know of a command that took effect.
public struct Warning: Codable, Hashable, Sendable {
    public var code: WarningCode
    /// Whom it is about.
    public var userId: WireID
    /// Whom that person's name is taken for.
    public var similarTo: WireID

    public init(code: WarningCode, userId: WireID, similarTo: WireID) {
        self.code = code
        self.userId = userId
        self.similarTo = similarTo
    }
}

/// Why there is a warning.
public struct WarningCode: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The names of two members of a group are taken for one another.
    public static let confusableName = WarningCode(rawValue: "confusableName")
}
