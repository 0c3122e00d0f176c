package import Foundation

/// Whoever has a code may come into the group.
package struct InviteCreated: Sendable, Equatable {
    /// A hash of the code.
    package let invite: UUID
    /// The id of the command.
    package let command: UUID
    package let creator: UUID
    package let maxUses: Int?
    package let expiresAt: Date?
    /// Sealed; nil once the creator is erased.
    package let code: String?

    package init(
        invite: UUID,
        command: UUID,
        creator: UUID,
        maxUses: Int? = nil,
        expiresAt: Date? = nil,
        code: String?
    ) {
        self.invite = invite
        self.command = command
        self.creator = creator
        self.maxUses = maxUses
        self.expiresAt = expiresAt
        self.code = code
    }
}

/// What the log keeps of an invite in the clear.
struct InviteCreatedPayload: Codable {
    let invite: UUID
    let creator: UUID
    let maxUses: Int?
    let expiresAt: Date?

    init(_ event: InviteCreated) {
        invite = event.invite
        creator = event.creator
        maxUses = event.maxUses
        expiresAt = event.expiresAt
    }

    func event(command: UUID, code: String?) -> InviteCreated {
        InviteCreated(
            invite: invite,
            command: command,
            creator: creator,
            maxUses: maxUses,
            expiresAt: expiresAt,
            code: code
        )
    }
}

/// Somebody has come in by an invite, which is one use of it.
package struct InviteUsed: Sendable, Equatable, Codable {
    package let invite: UUID
    package let person: UUID

    package init(invite: UUID, person: UUID) {
        self.invite = invite
        self.person = person
    }
}

/// These invites open nothing any more: taken back, or swept out after their time.
package struct InvitesEnded: Sendable, Equatable, Codable {
    package let invites: [UUID]

    package init(invites: [UUID]) {
        self.invites = invites
    }
}
