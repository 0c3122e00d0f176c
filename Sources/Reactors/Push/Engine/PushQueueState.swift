import Foundation
package import Postgres

/// The outbox of push notifications as people look at it.
package struct PushQueueState: Sendable, Equatable {
    package struct Pause: Sendable, Equatable {
        package let origin: String
        package let reason: String
    }

    /// Notifications that wait, of all processes; counted up to a limit.
    package let waiting: Int
    /// For how long the one has waited that is due the longest, in seconds; nil where none is due.
    package let oldest: Double?
    /// The services that are left alone at this moment.
    package let pauses: [Pause]

    package static func read(on pool: PostgresPool, countingTo limit: Int = 100_000) async throws -> PushQueueState {
        let results = try await pool.batch([
            """
            SELECT (SELECT count(*) FROM (
                SELECT FROM parley.push_notifications n WHERE n.due_at IS NOT NULL LIMIT \(Int64(limit))) x) AS waiting,
                (SELECT extract(epoch FROM now() - min(n.due_at))::float8 FROM parley.push_notifications n
                    WHERE n.due_at < now()) AS oldest
            """,
            "SELECT p.origin, p.reason FROM parley.push_pauses p WHERE p.until > now() - interval '1 minute' ORDER BY p.origin LIMIT 20",
        ])
        guard let row = results[0].first else { return PushQueueState(waiting: 0, oldest: nil, pauses: []) }
        return PushQueueState(
            waiting: try row.decode("waiting"),
            oldest: try row.decode("oldest"),
            pauses: try results[1].map { Pause(origin: try $0.decode("origin"), reason: try $0.decode("reason")) }
        )
    }
}
