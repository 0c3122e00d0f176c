package import Foundation
package import Postgres
import Synchronization

/// Who is doing something, on any device and at any process: noted beside their devices, so that all processes know.
///
/// What counts is what people do: an open stream alone says nothing. Bounded: what is forgotten is noted once more.
package final class PushActivity: Sendable {
    /// A person is noted so often.
    private static let interval = Duration.seconds(15)
    private static let limit = 50_000

    private struct State {
        var noted: [UUID: ContinuousClock.Instant] = [:]
        var pending: Set<UUID> = []
    }

    private let pool: PostgresPool
    private let state = Mutex(State())

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Somebody has done something.
    package func note(_ person: UUID) {
        let now = ContinuousClock.now
        state.withLock { state in
            if let last = state.noted[person], now - last < Self.interval { return }
            if state.noted.count >= Self.limit { state = State() }
            state.noted[person] = now
            state.pending.insert(person)
        }
    }

    /// Writes who did something since the last time. Where that fails, they count as idle, and are told at once.
    func flush() async {
        let people = state.withLock { state in
            defer { state.pending = [] }
            return state.pending.sorted()
        }
        guard !people.isEmpty else { return }
        _ = try? await pool.batch([
            .withoutWaiting,
            """
            UPDATE parley.devices d SET active_at = now()
            FROM (
                SELECT x.person_id, x.device_id FROM parley.devices x WHERE x.person_id = ANY (\(people))
                ORDER BY x.person_id, x.device_id FOR NO KEY UPDATE OF x
            ) x
            WHERE d.person_id = x.person_id AND d.device_id = x.device_id
            """,
        ])
    }
}
