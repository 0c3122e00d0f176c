/// The little that a list needs to show a person.
public struct UserSummary: Codable, Hashable, Sendable {
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?

    public init(displayName: String?, photoURL: String? = nil) {
        self.displayName = displayName
        self.photoURL = photoURL
    }
}
