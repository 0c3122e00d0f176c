import Crypto
import Foundation
import Postgres

/// What tells one course of a log from every other: the log's own id, the PostgreSQL cluster and its timeline, which a
/// promotion and a recovery begin anew.
package struct LogMark: Sendable, Hashable {
    let id: UUID
    let system: Int64
    let timeline: Int64

    /// What cursors carry of it.
    var epoch: UInt64 {
        let digest = SHA256.hash(data: Data("\(id.uuidString) \(system) \(timeline)".utf8))
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether it is of the same log and cluster, before the promotion that the other one is of.
    func isOlder(than other: LogMark) -> Bool {
        id == other.id && system == other.system && timeline < other.timeline
    }

    /// The epochs of the same log on the timelines before this one, the newest 1,000 of them.
    var earlierEpochs: Set<UInt64> {
        guard timeline > 1 else { return [] }
        return Set(
            (max(1, timeline - 1_000)..<timeline).map { LogMark(id: id, system: system, timeline: $0).epoch }
        )
    }
}

/// What one look at the database shows of its log.
struct LogSighting: Sendable {
    let mark: LogMark
    /// The newest position of every partition, in order.
    let heads: [Int64]

    /// Looks at the log over a connection that is to write to it, or to read what others have written.
    ///
    /// `pg_control_checkpoint()` names the old timeline until the first checkpoint after a promotion has finished, which
    /// may take minutes; the name of the segment that is written to is right at once.
    ///
    /// - Throws: ``LogError/inRecovery`` on a standby, ``LogError/notCreated`` where there is no log.
    static func take(on connection: PostgresConnection) async throws -> LogSighting {
        let rows = try await connection.query(
            """
            SELECT l.epoch_id, s.system_identifier,
                CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline,
                ARRAY(
                    SELECT coalesce((
                        SELECT e.position FROM parley.events e WHERE e.partition = p.partition
                        ORDER BY e.position DESC LIMIT 1), 0)
                    FROM parley.log_partitions p
                    ORDER BY p.partition) AS heads
            FROM parley.log l, pg_control_system() s
            """
        )
        guard let row = rows.first else { throw LogError.notCreated }
        guard let segment = try row.decode("timeline", as: String?.self), let timeline = Int64(segment, radix: 16)
        else {
            throw LogError.inRecovery
        }
        return LogSighting(
            mark: LogMark(
                id: try row.decode("epoch_id"),
                system: try row.decode("system_identifier"),
                timeline: timeline
            ),
            heads: try row.decode("heads")
        )
    }

    /// Whether the log ends before what was known of it.
    func isShorter(than known: [Int64]) -> Bool {
        zip(heads, known).contains { $0 < $1 }
    }
}
