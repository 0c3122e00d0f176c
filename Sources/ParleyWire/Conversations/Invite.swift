public import Foundation

/// A code that lets whoever has it into a group.
public struct Invite: Codable, Hashable, Sendable {
    public var code: String
    public var createdBy: WireID
    public var createdAt: Date
    /// Null for one without an end.
    @Nullable public var expiresAt: Date?
    /// Null for as many as the group takes.
    @Nullable public var maxUses: Int?
    public var uses: Int

    public init(code: String, createdBy: WireID, createdAt: Date, expiresAt: Date?, maxUses: Int?, uses: Int) {
        self.code = code
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.maxUses = maxUses
        self.uses = uses
    }
}

/// `POST /v1/conversations/{id}/invites`.
public struct CreateInviteRequest: Codable, Hashable, Sendable {
    public var maxUses: Int?
    public var expiresAt: Date?

    public init(maxUses: Int? = nil, expiresAt: Date? = nil) {
        self.maxUses = maxUses
        self.expiresAt = expiresAt
    }
}

/// `GET /v1/invites/{code}`: what is seen of a group before joining it.
public struct InvitePreview: Codable, Hashable, Sendable {
    @Nullable public var groupName: String?
    public var participantCount: Int

    public init(groupName: String?, participantCount: Int) {
        self.groupName = groupName
        self.participantCount = participantCount
    }
}
