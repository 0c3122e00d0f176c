public import Foundation

/// A person, as others see them.
public struct User: Codable, Hashable, Sendable {
    public var id: WireID
    /// null until the person has given one.
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var presence: Presence
    public var createdAt: Date

    public init(id: WireID, displayName: String?, photoURL: String? = nil, presence: Presence, createdAt: Date) {
        self.id = id
        self.displayName = displayName
        self.photoURL = photoURL
        self.presence = presence
        self.createdAt = createdAt
    }
}
