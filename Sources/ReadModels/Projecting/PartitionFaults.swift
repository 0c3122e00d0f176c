package import Foundation
package import Postgres

/// The table of partitions that stand still, for those who ask from outside the process.
package enum PartitionFaults {
    /// A partition that stands still, as any process has noted it.
    package struct Noted: Sendable, Equatable {
        package let partition: Int
        package let position: Int64
        package let isNewer: Bool
        package let reason: String
        package let attempts: Int
        package let since: Date
    }

    static func note(_ fault: PartitionFault, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.projection_faults AS f (
                partition, position, is_newer, reason, attempts, since, last_at)
            VALUES (
                \(Int32(clamping: fault.partition)), \(fault.position), \(fault.isNewer), \(fault.reason), 1,
                clock_timestamp(), clock_timestamp())
            ON CONFLICT (partition) DO UPDATE SET position = excluded.position, is_newer = excluded.is_newer,
                reason = excluded.reason, last_at = excluded.last_at,
                since = CASE WHEN f.position = excluded.position THEN f.since ELSE excluded.since END,
                attempts = CASE WHEN f.position = excluded.position THEN f.attempts + 1 ELSE 1 END
            """
        )
    }

    /// The partitions whose checkpoints still stand right before what was noted.
    package static func read(on connection: PostgresConnection) async throws -> [Noted] {
        let rows = try await connection.query(
            """
            SELECT f.partition, f.position, f.is_newer, f.reason, f.attempts, f.since
            FROM parley.projection_faults f
            WHERE f.position = 1 + coalesce((\(NewestVersion.ofCheckpoint("f.partition", in: .live))), 0)
            ORDER BY f.partition
            """
        )
        return try rows.map { row in
            Noted(
                partition: try row.decode("partition"),
                position: try row.decode("position"),
                isNewer: try row.decode("is_newer"),
                reason: try row.decode("reason"),
                attempts: try row.decode("attempts"),
                since: try row.decode("since")
            )
        }
    }
}

extension PartitionFaults.Noted: CustomStringConvertible {
    package var description: String { "partition \(partition) stands before position \(position): \(reason)" }
}
