public import Foundation

/// The caller, as only the caller sees it.
public struct Me: Codable, Hashable, Sendable {
    public var id: WireID
    /// null until given: then `needsOnboarding` is true.
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var presence: Presence
    public var createdAt: Date
    public var email: String
    /// Whether the caller has proved to read the mails of that address.
    public var emailVerified: Bool
    public var settings: UserSettings
    public var needsOnboarding: Bool
    /// In the answer to a change of the name, where there are any.
    public var warnings: [Warning]?

    public init(
        id: WireID,
        displayName: String?,
        photoURL: String? = nil,
        presence: Presence,
        createdAt: Date,
        email: String,
        emailVerified: Bool = false,
        settings: UserSettings,
        needsOnboarding: Bool,
        warnings: [Warning]? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.photoURL = photoURL
        self.presence = presence
        self.createdAt = createdAt
        self.email = email
        self.emailVerified = emailVerified
        self.settings = settings
        self.needsOnboarding = needsOnboarding
        self.warnings = warnings
    }
}
