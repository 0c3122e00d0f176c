package import Foundation
package import Postgres

/// What is kept of presence beside the log: when people were last seen, and whom sessions asked to be told of.
package struct PresenceRows: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Keeps when people were seen, unless they were seen later.
    package func note(_ seen: [UUID: Date]) async throws {
        guard !seen.isEmpty else { return }
        // In order, or two processes that write the same people wait for each other for ever.
        let rows = seen.sorted { $0.key < $1.key }
        try await pool.execute(
            """
            INSERT INTO parley.last_seen AS l (person_id, seen_at)
            SELECT n.* FROM unnest(\(rows.map(\.key)), \(rows.map(\.value))) AS n (person_id, seen_at)
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.person_id)
            ON CONFLICT (person_id) DO UPDATE SET seen_at = excluded.seen_at WHERE excluded.seen_at > l.seen_at
            """
        )
    }

    /// Has a session told of these people, and of nobody else for whom it asked before.
    ///
    /// - Returns: false where the session is over.
    package func put(_ people: [UUID], for session: UUID) async throws -> Bool {
        let rows = try await pool.query(
            """
            INSERT INTO parley.presence_subscriptions (session_id, person_ids)
            SELECT s.session_id, \(people) FROM parley.sessions s WHERE s.session_id = \(session)
            ON CONFLICT (session_id) DO UPDATE SET person_ids = excluded.person_ids
            RETURNING session_id
            """
        )
        return !rows.isEmpty
    }

    /// Forgets all of an erased person; sessions go by themselves.
    package func forget(_ person: UUID) async throws {
        try await pool.execute("DELETE FROM parley.last_seen WHERE person_id = \(person)")
    }
}
