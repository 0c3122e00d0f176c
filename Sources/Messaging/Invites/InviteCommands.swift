package import Foundation

package struct CreateInvite: Sendable, Equatable {
    package let actor: UUID
    package let code: InviteCode
    /// The id of the command.
    package let command: UUID
    package let maxUses: Int?
    package let expiresAt: Date?
    package let now: Date

    package init(actor: UUID, code: InviteCode, command: UUID, maxUses: Int?, expiresAt: Date?, now: Date) {
        self.actor = actor
        self.code = code
        self.command = command
        self.maxUses = maxUses
        self.expiresAt = expiresAt
        self.now = now
    }
}

package struct EndInvite: Sendable, Equatable {
    package let actor: UUID
    package let invite: UUID

    package init(actor: UUID, invite: UUID) {
        self.actor = actor
        self.invite = invite
    }
}

package struct JoinByInvite: Sendable, Equatable {
    package let person: UUID
    package let invite: UUID
    package let maxMembers: Int
    package let now: Date

    package init(person: UUID, invite: UUID, maxMembers: Int, now: Date) {
        self.person = person
        self.invite = invite
        self.maxMembers = maxMembers
        self.now = now
    }
}
