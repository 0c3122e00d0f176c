import EventSourcing
import EventStore
import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// What the migration of revisions makes of tables that were filled before there were any.
@Suite(.database) struct RevisionMigrationTests {
    @Test(arguments: UInt64(1)...3)
    func `tables that are upgraded equal those that were filled with revisions`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed, steps: 500)
        try await history.log.project()
        let before = try await digests()
        let migration = try #require(Migrations.readModels.first { $0.name == "0501_revisions.sql" })
        try await TestDatabase.current.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: history.log.partitions, on: connection)
            for record in history.log.events.joined() { try await Self.append(record, on: connection) }
            try await connection.script(
                """
                BEGIN;
                SET LOCAL search_path = read_live;
                ALTER TABLE conversations DROP COLUMN revision;
                ALTER TABLE memberships DROP COLUMN changed_position;
                \(migration.text)
                COMMIT;
                """
            )
        }
        #expect(try await digests() == before)
    }

    private func digests() async throws -> [TableDigest] {
        try await TestDatabase.current.pool.withConnection { connection in
            try await TableDigest.read(.live, on: connection)
        }
    }

    /// What the migration asks the log for.
    private static func append(_ record: RecordedEvent, on connection: PostgresConnection) async throws {
        guard case .event(let event) = record.body else { return }
        try await connection.execute(
            """
            INSERT INTO parley.events (
                position, version, recorded_at, partition, ordinal, stream_id, command_id, subject, schema_version,
                category, type, payload)
            VALUES (
                \(record.position), \(record.version), now(), \(Int32(clamping: record.partition)), 0,
                \(record.stream.id), \(UUID()), \(event.subject), 1, \(record.stream.category.rawValue),
                \(event.kind.type), '{}')
            """
        )
    }
}
