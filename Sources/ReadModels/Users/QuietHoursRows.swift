package import Foundation
package import ParleyWire
package import Postgres

/// When people want to be left alone. Made of no events, so a rebuild leaves it alone.
package struct QuietHoursRows: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package func find(of person: UUID) async throws -> QuietHours? {
        try await pool.withConnection { try await Self.find(of: person, on: $0) }
    }

    static func find(of person: UUID, on connection: PostgresConnection) async throws -> QuietHours? {
        let rows = try await connection.query(
            "SELECT q.from_minute, q.to_minute, q.time_zone FROM parley.quiet_hours q WHERE q.person_id = \(person)"
        )
        return try rows.first.map { row in
            QuietHours(
                from: QuietHours.time(of: try row.decode("from_minute")),
                to: QuietHours.time(of: try row.decode("to_minute")),
                timeZone: try row.decode("time_zone")
            )
        }
    }

    /// - Parameter hours: checked by whoever took them; nil for none.
    package func put(_ hours: QuietHours?, of person: UUID) async throws {
        guard let hours, let from = QuietHours.minute(of: hours.from), let to = QuietHours.minute(of: hours.to) else {
            return try await forget(person)
        }
        try await pool.execute(
            """
            INSERT INTO parley.quiet_hours (person_id, from_minute, to_minute, time_zone)
            SELECT \(person), \(Int16(clamping: from)), \(Int16(clamping: to)), \(hours.timeZone)
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = \(person))
            ON CONFLICT (person_id) DO UPDATE SET from_minute = excluded.from_minute, to_minute = excluded.to_minute,
                time_zone = excluded.time_zone
            """
        )
    }

    /// Forgets all of an erased person.
    package func forget(_ person: UUID) async throws {
        try await pool.execute("DELETE FROM parley.quiet_hours WHERE person_id = \(person)")
    }
}
