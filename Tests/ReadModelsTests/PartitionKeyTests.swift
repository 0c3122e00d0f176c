import EventStore
import Foundation
import Migrations
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// Keys carry the partition: it is the column by which a database of several machines distributes the tables.
struct PartitionKeyTests {
    /// What is said of read models as a whole.
    private static let undistributed: Set<String> = ["projections"]

    @Test(.database) func `every table of the read models has the partition in all its unique keys`() async throws {
        let tables = try await tables(in: ReadSchema.live.name)
        let distributed = tables.filter { !Self.undistributed.contains($0.name) }
        #expect(Set(distributed.map(\.name)).isSuperset(of: ReadTable.allCases.map(\.rawValue)))
        for table in distributed {
            #expect(table.hasPartition, "\(table.name) has rows of no partition")
            #expect(table.hasPrimaryKey, "\(table.name) has no primary key")
            #expect(table.keysWithoutPartition == [], "\(table.name)")
        }
    }

    @Test(.database) func `every table of the log that has a partition has it in all its unique keys`() async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: 2, on: connection)
        }
        let tables = try await tables(in: "parley").filter(\.hasPartition)
        let known = ["events", "events_p0", "events_p1", "log_partitions", "projection_faults", "skipped_events"]
        #expect(Set(tables.map(\.name)).isSuperset(of: known))
        for table in tables { #expect(table.keysWithoutPartition == [], "\(table.name)") }
    }

    private struct Table {
        let name: String
        /// Of every row.
        let hasPartition: Bool
        let hasPrimaryKey: Bool
        let keysWithoutPartition: [String]
    }

    private func tables(in schema: String) async throws -> [Table] {
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT c.relname::text AS name,
                EXISTS (
                    SELECT FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attname = 'partition' AND a.attnotnull AND NOT a.attisdropped
                ) AS has_partition,
                EXISTS (SELECT FROM pg_index x WHERE x.indrelid = c.oid AND x.indisprimary) AS has_primary_key,
                ARRAY(
                    SELECT x.indexrelid::regclass::text FROM pg_index x
                    WHERE x.indrelid = c.oid AND x.indisunique AND NOT EXISTS (
                        SELECT FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, place)
                        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
                        WHERE a.attname = 'partition' AND k.place <= x.indnkeyatts)
                    ORDER BY 1
                ) AS keys
            FROM pg_class c
            WHERE c.relnamespace = to_regnamespace(\(schema)) AND c.relkind IN ('r', 'p')
            ORDER BY c.relname
            """
        )
        return try rows.map { row in
            Table(
                name: try row.decode("name"),
                hasPartition: try row.decode("has_partition"),
                hasPrimaryKey: try row.decode("has_primary_key"),
                keysWithoutPartition: try row.decode("keys")
            )
        }
    }

    // MARK: Upgrading

    @Test(.emptyDatabase) func `rows from before get the partition of their conversation`() async throws {
        let listed = UUID()
        let parked = UUID()
        try await TestDatabase.current.administrator.withConnection { connection in
            try await Migrator(files: Migrations.all.filter { $0.name < "0360" }).run(on: connection)
            try await LogIdentity.create(partitions: 8, on: connection)
            try await connection.execute(Self.conversation(listed, partition: 5))
            try await connection.execute(Self.event(of: parked, partition: 6))
            for conversation in [listed, parked] {
                for row in Self.rows(of: conversation) { try await connection.execute(row) }
            }
            try await Migrator(files: Migrations.all).run(on: connection)
            // The tables that there were then.
            let old: Set<ReadTable> = [.messages, .memberships, .unreadCounts, .mentions, .watermarks, .receiptRanges]
            for table in old.union([.conversations]) {
                let rows = try await connection.query(
                    "SELECT t.conversation_id, t.partition FROM \(table.name(in: .live)) t"
                )
                for row in rows {
                    let expected = try row.decode("conversation_id") == listed ? 5 : 6
                    #expect(try row.decode("partition") == expected, "\(table)")
                }
                #expect(rows.count == (table == .conversations ? 1 : 2), "\(table)")
            }
        }
    }

    @Test(.database) func `an older program that names no partition fails, and parks nothing`() async throws {
        try await TestDatabase.current.pool.withConnection { connection in
            for row in Self.rows(of: UUID()) {
                // An error that says something of the database, after which a projector waits and tries again.
                let error = try #require(
                    await #expect(throws: PostgresError.self) { try await connection.execute(row) }
                )
                #expect(error.sqlState == .undefinedColumn && Poison.cause(of: error) == nil, "\(row)")
            }
        }
    }

    private static func conversation(_ id: UUID, partition: Int32) -> SQL {
        """
        INSERT INTO read_live.conversations (
            conversation_id, partition, kind, created_by, created_at, updated_at, activity_at, member_count, head_seq,
            last_position)
        VALUES (\(id), \(partition), 'group', \(id), now(), now(), now(), 1, 1, 2)
        """
    }

    private static func event(of stream: UUID, partition: Int32) -> SQL {
        """
        INSERT INTO parley.events (
            position, version, recorded_at, partition, ordinal, stream_id, command_id, schema_version, category, type,
            payload)
        VALUES (1, 1, now(), \(partition), 0, \(stream), \(UUID()), 1, 'conversation', 'conversationStarted', '{}')
        """
    }

    /// As programs wrote them before there was a partition.
    private static func rows(of conversation: UUID) -> [SQL] {
        [
            """
            INSERT INTO read_live.messages (
                conversation_id, seq, position, sent_at, recipient_count, message_id, sender_id, kind)
            VALUES (\(conversation), 1, 2, now(), 1, \(UUID()), \(conversation), 'text')
            """,
            """
            INSERT INTO read_live.memberships (conversation_id, user_id, from_position, from_seq, joined_at, role)
            VALUES (\(conversation), \(conversation), 1, 0, now(), 'owner')
            """,
            """
            INSERT INTO read_live.unread_counts (conversation_id, user_id, read_seq, own_after)
            VALUES (\(conversation), \(conversation), 0, 1)
            """,
            """
            INSERT INTO read_live.mentions (conversation_id, user_id, seq)
            VALUES (\(conversation), \(conversation), 1)
            """,
            """
            INSERT INTO read_live.watermarks (
                conversation_id, user_id, from_position, from_seq, delivered_seq, read_seq, public_read_seq)
            VALUES (\(conversation), \(conversation), 1, 0, 1, 1, 1)
            """,
            """
            INSERT INTO read_live.receipt_ranges (conversation_id, user_id, kind, from_seq, to_seq, at)
            VALUES (\(conversation), \(conversation), 1, 0, 1, now())
            """,
        ]
    }
}
