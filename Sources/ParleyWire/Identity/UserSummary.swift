/// The little that a list needs to show a person.
public struct UserSummary: Codable, Hashable, Sendable {
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    /// True where the person is erased, else left out.
    public var erased: Bool?
    /// True where it is a program that an operator has made, else left out.
    public var isBot: Bool?

    public init(displayName: String?, photoURL: String? = nil, erased: Bool? = nil, isBot: Bool? = nil) {
        self.displayName = displayName
        self.photoURL = photoURL
        self.erased = erased
        self.isBot = isBot
    }
}
