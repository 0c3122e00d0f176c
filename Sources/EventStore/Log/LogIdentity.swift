import EventSourcing
package import Foundation
package import Postgres

/// Which log this is, and how many partitions it has.
package struct LogIdentity: Sendable, Equatable {
    /// Tells cursors of this log from those of any other: another database, a restored backup, a promoted standby.
    package let epoch: UInt64
    package let partitions: Int
    /// What the epoch was made of, where it was read from a database.
    let mark: LogMark?

    package init(epoch: UInt64, partitions: Int) {
        self.epoch = epoch
        self.partitions = partitions
        mark = nil
    }

    private init(_ mark: LogMark, partitions: Int) {
        epoch = mark.epoch
        self.partitions = partitions
        self.mark = mark
    }

    /// Creates the log's partitions on the first call; later ones find what there is, whatever they ask for.
    package static func create(partitions: Int, on connection: PostgresConnection) async throws {
        try await connection.execute("SELECT parley.create_log(\(Int32(clamping: partitions)))")
    }

    /// Reads the identity of the log that a database holds, also of one that only follows another.
    ///
    /// - Throws: ``LogError/notCreated`` where ``create(partitions:on:)`` was never called.
    package static func read(from pool: PostgresPool) async throws -> LogIdentity {
        let rows = try await pool.query(
            """
            SELECT l.epoch_id, l.partitions, s.system_identifier,
                -- The checkpoint's is the old one for a while after a promotion, but all that a standby tells.
                CASE WHEN pg_is_in_recovery() THEN upper(lpad(to_hex(c.timeline_id), 8, '0'))
                    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
            FROM parley.log l, pg_control_system() s, pg_control_checkpoint() c
            """
        )
        guard let row = rows.first else { throw LogError.notCreated }
        let mark = LogMark(
            id: try row.decode("epoch_id"),
            system: try row.decode("system_identifier"),
            timeline: Int64(try row.decode("timeline", as: String.self), radix: 16) ?? 0
        )
        return LogIdentity(mark, partitions: try row.decode("partitions", as: Int.self))
    }

    /// The partition of an aggregate.
    package func partition(of id: UUID) -> Int {
        PartitionHash.partition(of: id, count: partitions)
    }
}

package enum LogError: Error, Equatable, CustomStringConvertible {
    case notCreated
    /// The database is of an older version than this program.
    case notMigrated
    /// A reader found a position missing: the log is damaged, since positions are dense.
    case gap(partition: Int, expected: Int64, found: Int64)
    /// The database is a standby that follows another: nothing can be written there yet.
    case inRecovery
    /// The database is one that this process has left: an old primary, most likely, that came back.
    case pastEpoch(timeline: Int64)
    /// The database holds another log.
    case otherPartitions(expected: Int, found: Int)

    package var description: String {
        switch self {
        case .notCreated: "the database holds no log yet: run `parley migrate`"
        case .notMigrated: "the database is of an older version: run `parley migrate`"
        case .gap(let partition, let expected, let found):
            "the log is damaged: partition \(partition) has position \(found) where \(expected) should be"
        case .inRecovery: "the database is a standby, and not promoted yet"
        case .pastEpoch(let timeline):
            "the database is on timeline \(timeline), which was left: an old primary? Restart Parley if it is meant"
        case .otherPartitions(let expected, let found):
            "the database holds another log: of \(found) partitions, not \(expected)"
        }
    }
}
