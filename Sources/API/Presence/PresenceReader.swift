import EventStore
import Foundation
import Live
import ParleyWire
import ReadModels

/// Whether people are there, as a caller may see it: whom the caller may not see is offline, and was never seen.
struct PresenceReader {
    let queries: Queries
    /// Nil where no streams are served.
    let presences: Presences?
    let log: LogReader
    let checkpoints: Checkpoints

    /// So long an answer waits for what may have ended a right, until it shows nobody.
    private static let patience: Duration = .milliseconds(500)

    func presences(of people: [UUID], to caller: UUID) async throws -> [UUID: Presence] {
        // Oneself everybody may see.
        let others = people.filter { $0 != caller }
        let areAllAsked = others.isEmpty ? true : try await areRightsShown()
        let people = areAllAsked ? people : people.filter { $0 == caller }
        let shown = try await queries.shownPresences(of: people, to: caller)
        var found: [UUID: Presence] = [:]
        for (person, lastSeen) in shown {
            let status = presences?.status(of: person) ?? .offline
            found[person] = Presence(status: status, lastSeen: status == .offline ? lastSeen : nil)
        }
        return found
    }

    /// Whether the read models show all that the log holds at this moment: a block or a removal that was answered may be in it.
    private func areRightsShown() async throws -> Bool {
        let heads = try await log.heads()
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        return try await checkpoints.wait(for: positions, timeout: Self.patience)
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
