package import Foundation

/// An invite that is open, as the rules know it.
package struct Invite: Sendable, Equatable, Codable {
    /// The command that made it, by which the log has its code.
    package let command: UUID
    package let creator: UUID
    /// Nil for as many as the group takes.
    package let maxUses: Int?
    package let expiresAt: Date?
    package var uses = 0

    init(_ created: InviteCreated) {
        command = created.command
        creator = created.creator
        maxUses = created.maxUses
        expiresAt = created.expiresAt
    }

    package func isOpen(at now: Date) -> Bool { expiresAt.map { $0 > now } ?? true }
}
