import Crypto
import EventSourcing
package import Foundation
package import Postgres

/// Which log this is, and how many partitions it has.
package struct LogIdentity: Sendable, Equatable {
    /// Tells cursors of this log from those of any other: another database, a restored backup, a promoted standby.
    package let epoch: UInt64
    package let partitions: Int

    package init(epoch: UInt64, partitions: Int) {
        self.epoch = epoch
        self.partitions = partitions
    }

    /// Creates the log's partitions on the first call; later ones find what there is, whatever they ask for.
    package static func create(partitions: Int, on connection: PostgresConnection) async throws {
        try await connection.execute("SELECT parley.create_log(\(Int32(clamping: partitions)))")
    }

    /// Reads the identity of the log that a database holds.
    ///
    /// - Throws: ``LogError/notCreated`` where ``create(partitions:on:)`` was never called.
    package static func read(from pool: PostgresPool) async throws -> LogIdentity {
        let rows = try await pool.query(
            """
            SELECT l.epoch_id, l.partitions, s.system_identifier, c.timeline_id
            FROM parley.log l, pg_control_system() s, pg_control_checkpoint() c
            """
        )
        guard let row = rows.first else { throw LogError.notCreated }
        let id = try row.decode("epoch_id", as: UUID.self)
        let system = try row.decode("system_identifier", as: Int64.self)
        let timeline = try row.decode("timeline_id", as: Int64.self)
        return LogIdentity(
            epoch: epoch(id: id, system: system, timeline: timeline),
            partitions: try row.decode("partitions", as: Int.self)
        )
    }

    private static func epoch(id: UUID, system: Int64, timeline: Int64) -> UInt64 {
        let digest = SHA256.hash(data: Data("\(id.uuidString) \(system) \(timeline)".utf8))
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The partition of an entity.
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

    package var description: String {
        switch self {
        case .notCreated: "the database holds no log yet: run `parley migrate`"
        case .notMigrated: "the database is of an older version: run `parley migrate`"
        case .gap(let partition, let expected, let found):
            "the log is damaged: partition \(partition) has position \(found) where \(expected) should be"
        }
    }
}
