package import Foundation
package import Postgres

/// The table of people who are erased, and of what is left to be done about it.
package struct Erasures: Sendable {
    /// How long whoever works on an erasure is left alone with it.
    package static let lease = Duration.seconds(10)
    /// How long after an erasure it is checked again: by then every process knows of it, and what was under way is over.
    private static let recheckDelay = Duration.seconds(60)

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Somebody whose erasure is to be carried on.
    package struct Pending: Sendable, Equatable {
        package let person: UUID
        /// Whether it was done once, and is only checked again.
        package let isErased: Bool
    }

    /// Takes the account away, ends its sessions and writes down what is left to be done, in one transaction.
    ///
    /// - Returns: the sessions that it ended; nil where there is neither such an account nor such an erasure.
    func begin(_ person: UUID) async throws -> [UUID]? {
        try await pool.withTransaction { connection in
            // The account first: who signs in meanwhile waits for it and then finds none, or was faster and is in what the
            // next statement sees.
            let deleted = try await connection.execute("DELETE FROM parley.accounts WHERE account_id = \(person)")
            let known = try await connection.query("SELECT 1 FROM parley.erasures WHERE person_id = \(person)")
            guard deleted > 0 || !known.isEmpty else { return nil }
            try await connection.execute(
                """
                INSERT INTO parley.erasures (person_id, due_at)
                VALUES (\(person), clock_timestamp() + make_interval(secs => \(Self.lease.seconds)))
                ON CONFLICT (person_id) DO NOTHING
                """
            )
            let rows = try await connection.query(
                """
                UPDATE parley.sessions SET revoked_at = coalesce(revoked_at, clock_timestamp()), device_name = NULL
                WHERE account_id = \(person)
                RETURNING session_id
                """
            )
            return try rows.map { try $0.decode("session_id") }
        }
    }

    /// How long it is until there is something to carry on, not above 0 where there is; nil where nothing is left to be done.
    package func timeUntilDue() async throws -> Duration? {
        let rows = try await pool.query(
            """
            SELECT extract(epoch FROM e.due_at - clock_timestamp())::float8 AS seconds
            FROM parley.erasures e WHERE e.settled_at IS NULL ORDER BY e.due_at LIMIT 1
            """
        )
        return try rows.first.map { Duration.seconds(try $0.decode("seconds", as: Double.self)) }
    }

    /// Claims the erasure that has waited longest, if any is due.
    package func claim() async throws -> Pending? {
        let rows = try await pool.query(
            """
            UPDATE parley.erasures SET due_at = clock_timestamp() + make_interval(secs => \(Self.lease.seconds))
            WHERE person_id = (
                SELECT e.person_id FROM parley.erasures e
                WHERE e.settled_at IS NULL AND e.due_at <= clock_timestamp()
                ORDER BY e.due_at LIMIT 1
                FOR UPDATE SKIP LOCKED)
            RETURNING person_id, erased_at IS NOT NULL AS is_erased
            """
        )
        return try rows.first.map { Pending(person: try $0.decode("person_id"), isErased: try $0.decode("is_erased")) }
    }

    /// Everybody of whom something personal may be left.
    package func unfinished() async throws -> [UUID] {
        let rows = try await pool.query(
            "SELECT person_id FROM parley.erasures WHERE erased_at IS NULL AND settled_at IS NULL ORDER BY requested_at"
        )
        return try rows.map { try $0.decode("person_id") }
    }

    /// Nothing personal is left.
    package func markErased(_ person: UUID) async throws {
        try await pool.execute(
            """
            UPDATE parley.erasures SET erased_at = coalesce(erased_at, clock_timestamp()),
                due_at = clock_timestamp() + make_interval(secs => \(Self.recheckDelay.seconds))
            WHERE person_id = \(person) AND settled_at IS NULL
            """
        )
    }

    /// The second check found nothing any more.
    package func markComplete(_ person: UUID) async throws {
        try await pool.execute(
            """
            UPDATE parley.erasures SET settled_at = clock_timestamp()
            WHERE person_id = \(person) AND erased_at IS NOT NULL AND settled_at IS NULL
            """
        )
    }

    /// Tries again later.
    package func postpone(_ person: UUID, by pause: Duration) async throws {
        try await pool.execute(
            """
            UPDATE parley.erasures SET due_at = clock_timestamp() + make_interval(secs => \(pause.seconds))
            WHERE person_id = \(person) AND settled_at IS NULL
            """
        )
    }
}
