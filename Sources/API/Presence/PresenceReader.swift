import Foundation
import Live
import ParleyWire
import ReadModels

/// Whether people are there, as a caller may see it: whom the caller may not see is offline, and was never seen.
struct PresenceReader {
    let queries: Queries
    /// Nil where no streams are served.
    let presences: Presences?

    func presences(of people: [UUID], to caller: UUID) async throws -> [UUID: Presence] {
        let shown = try await queries.shownPresences(of: people, to: caller)
        var found: [UUID: Presence] = [:]
        for (person, lastSeen) in shown {
            let status = presences?.status(of: person) ?? .offline
            found[person] = Presence(status: status, lastSeen: status == .offline ? lastSeen : nil)
        }
        return found
    }

    /// People as the caller sees them.
    func show(_ users: [User], to caller: UUID) async throws -> [User] {
        let found = try await presences(of: users.map(\.id.uuid), to: caller)
        return users.map { user in
            var user = user
            user.presence = found[user.id.uuid] ?? Presence(status: .offline)
            return user
        }
    }

    func own(_ person: UUID) async throws -> Presence {
        try await presences(of: [person], to: person)[person] ?? Presence(status: .offline)
    }
}
