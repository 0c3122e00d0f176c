public import Foundation

/// Somebody whom the caller has blocked.
public struct Block: Codable, Hashable, Sendable {
    public var userId: WireID
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var blockedAt: Date
    /// True where the person is erased, else left out.
    public var erased: Bool?

    public init(userId: WireID, displayName: String?, photoURL: String?, blockedAt: Date, erased: Bool? = nil) {
        self.userId = userId
        self.displayName = displayName
        self.photoURL = photoURL
        self.blockedAt = blockedAt
        self.erased = erased
    }
}
