public import Foundation

/// A member of a conversation.
public struct Participant: Codable, Hashable, Sendable {
    public var userId: WireID
    @Nullable public var displayName: String?
    @Nullable public var photoURL: String?
    public var role: ParticipantRole
    public var joinedAt: Date
    /// Grows with every change of the membership, of the role above all; that of one who has left, with the leaving.
    public var revision: Int64
    /// True where the person is erased, else left out.
    public var erased: Bool?
    /// True where it is a program that an operator has made, else left out.
    public var isBot: Bool?
    /// In the answer that says who was added, where there are any.
    public var warnings: [Warning]?

    public init(
        userId: WireID,
        displayName: String?,
        photoURL: String? = nil,
        role: ParticipantRole,
        joinedAt: Date,
        revision: Int64,
        erased: Bool? = nil,
        warnings: [Warning]? = nil
    ) {
        self.userId = userId
        self.displayName = displayName
        self.photoURL = photoURL
        self.role = role
        self.joinedAt = joinedAt
        self.revision = revision
        self.erased = erased
        isBot = userId.isBot ? true : nil
        self.warnings = warnings
    }
}
