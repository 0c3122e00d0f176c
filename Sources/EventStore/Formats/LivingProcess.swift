package import Foundation
package import Postgres

/// A server process whose heart beats.
package struct LivingProcess: Sendable, Equatable {
    package let id: UUID
    /// Of the program.
    package let version: String
    /// The highest log format that it reads.
    package let format: Int
    package let startedAt: Date
    package let heartbeatAt: Date

    /// All of them, the oldest first.
    package static func all(in pool: PostgresPool) async throws -> [LivingProcess] {
        let rows = try await pool.query(
            """
            SELECT p.process_id, p.version, p.format, p.started_at, p.heartbeat_at
            FROM parley.processes p
            WHERE p.heartbeat_at >= clock_timestamp() - parley.process_lifetime()
            ORDER BY p.started_at, p.process_id
            """
        )
        return try rows.map { row in
            LivingProcess(
                id: try row.decode("process_id"),
                version: try row.decode("version"),
                format: try row.decode("format"),
                startedAt: try row.decode("started_at"),
                heartbeatAt: try row.decode("heartbeat_at")
            )
        }
    }
}
