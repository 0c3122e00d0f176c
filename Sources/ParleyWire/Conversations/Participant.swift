public import Foundation

/// A member of a conversation.
public struct Participant: Codable, Hashable, Sendable {
    public var userId: WireID
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var role: ParticipantRole
    public var joinedAt: Date
    /// True where the person is erased, else left out.
    public var erased: Bool?

    public init(
        userId: WireID,
        displayName: String?,
        photoURL: String? = nil,
        role: ParticipantRole,
        joinedAt: Date,
        erased: Bool? = nil
    ) {
        self.userId = userId
        self.displayName = displayName
        self.photoURL = photoURL
        self.role = role
        self.joinedAt = joinedAt
        self.erased = erased
    }
}
