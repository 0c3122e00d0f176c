import EventSourcing
import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// The indexes that hot statements use, chosen as in production: by a planner that may do what it likes, for as many rows
/// as a busy server has, with the statistics of those rows; by plans for the values at hand and by plans for any.
@Suite(.database, .timeLimit(.minutes(10))) struct IndexTests {
    private static let groups = 2_000
    private static let messages = 100
    private static let members = 20
    private static let people = 5_000

    let ada = IndexTests.person(7)
    let room = IndexTests.group(11)

    private var range: [MessageRange] {
        [MessageRange(conversation: room, first: 40, last: 90, floor: 0)]
    }

    private var access: HistoryAccess {
        HistoryAccess(
            conversation: room,
            floor: 0,
            ceiling: 100,
            firstUnread: nil,
            start: HistoryKey(0),
            end: HistoryKey(100, .max)
        )
    }

    private func plan(_ reach: HistoryPlan.Reach, at split: HistoryKey) -> HistoryPlan {
        HistoryPlan(access: access, split: split, reach: reach, limit: 50)
    }

    private struct Query {
        let name: String
        let statement: SQL
        /// All that may be used.
        let indexes: Set<String>

        init(_ name: String, _ statement: SQL, _ indexes: Set<String>) {
            self.name = name
            self.statement = statement
            self.indexes = indexes
        }
    }

    private func queries() throws -> [Query] {
        let key: SQL = "SELECT \(ada)::uuid AS user_id, \(room)::uuid AS conversation_id, 1 AS n"
        let list = ConversationListQuery(
            caller: ada,
            filter: .unread,
            text: "grace",
            cursor: nil,
            limit: 50,
            budget: .max
        )
        let span = UserQuery.Span(partition: 0, since: 10, last: 20)
        let spelt = try #require(
            Queries.statement(spelledLike: DirectoryName("Grcae"), where: "u.sort_name <> ''")
        )
        return [
            Query(
                "conversations",
                ConversationQuery.statement(for: key),
                [
                    "conversations_pkey", "drafts_pkey", "memberships_pkey", "memberships_current_key", "mentions_pkey",
                    "messages_pkey", "deleted_messages_pkey",
                    "unread_counts_pkey", "watermarks_pkey",
                ]
            ),
            Query(
                "list",
                try list.keys(),
                [
                    "memberships_user_idx", "memberships_pkey", "conversations_pkey", "unread_counts_pkey",
                    "users_pkey",
                    "deleted_messages_pkey",
                ]
            ),
            Query("reactions", ReactionTally.statement(for: [(room, 40), (room, 50)], ada), ["reactions_pkey"]),
            Query(
                "history",
                MessageReader.statement(for: range, of: ada, within: 1 << 20),
                ["messages_pkey", "reactions_pkey"]
            ),
            Query(
                "system messages",
                SystemMessageQuery.statement(
                    for: [plan(.older, at: .end), plan(.around, at: HistoryKey(50))],
                    atMost: 100
                ),
                ["system_messages_pkey"]
            ),
            Query(
                "one system message",
                SystemMessageQuery.statement(for: [ada], in: room),
                ["system_messages_id_key"]
            ),
            Query("pins", Queries.pins(in: access, before: .max, limit: 51), ["messages_pinned_idx"]),
            Query("tally", ReceiptTally.statement(for: range, without: ada), ["watermarks_pkey"]),
            Query(
                "times",
                ReceiptTimes.statement(for: range, without: ada),
                ["receipt_ranges_pkey", "watermarks_pkey"]
            ),
            Query(
                "unread",
                UnreadQuery.statement(for: [UnreadKey(user: ada, conversation: room)]),
                [
                    "conversations_pkey", "memberships_uncounted_idx", "mentions_pkey", "messages_pkey",
                    "unread_counts_pkey", "deleted_messages_pkey",
                ]
            ),
            Query(
                "opening",
                StreamOpening.statement(for: ada),
                ["conversations_pkey", "memberships_user_idx"]
            ),
            Query("blocks", StreamOpening.blocks(of: ada), ["blocks_pkey"]),
            Query(
                "list of blocks",
                Queries.blocks(of: ada, where: "b.blocked_at <= now()", limit: 50),
                ["blocks_list_idx", "users_pkey"]
            ),
            Query(
                "stars",
                Queries.stars(of: ada, where: "s.starred_at <= now()", limit: 50),
                ["stars_list_idx", "messages_pkey"]
            ),
            Query("spelling", spelt, ["users_spelling_idx"]),
            Query(
                "changed people",
                UserQuery.changes([span], caller: ada, limit: 100),
                [
                    "users_changed_idx", "memberships_user_idx", "memberships_current_key",
                    "memberships_pkey",
                ]
            ),
            Query(
                "words",
                "SELECT FROM read_live.users u WHERE u.words @@ \("'7':*")::text::tsquery",
                ["users_words_idx"]
            ),
            Query(
                "directory",
                """
                SELECT FROM read_live.users u
                WHERE u.sort_name IS NOT NULL AND (u.sort_name, u.user_id) > (\("person 7"), \(ada))
                ORDER BY u.sort_name, u.user_id LIMIT 50
                """,
                ["users_directory_idx"]
            ),
        ]
    }

    @Test func `queries use indexes, for the values at hand and for any`() async throws {
        try await fill()
        let queries = try queries()
        try await withConnection([:]) { connection in
            for query in queries {
                for plan in try await plans(query.statement, on: connection) {
                    #expect(plan.scans.isEmpty, "\(query.name) reads from end to end: \(plan.scans)")
                    #expect(!plan.indexes.isEmpty, "\(query.name)")
                    #expect(plan.indexes.isSubset(of: query.indexes), "\(query.name): \(plan.indexes)")
                }
            }
        }
    }

    @Test func `projections find the rows that they change by key`() async throws {
        try await fill()
        let statements = projecting()
        #expect(statements.count > 8)
        // With the settings of a projector's connections.
        try await withConnection(configuration.projecting.settings) { connection in
            for statement in statements {
                for plan in try await plans(statement, on: connection) {
                    #expect(plan.scans.isEmpty, "reads from end to end: \(plan.scans): \(statement)")
                }
            }
        }
    }

    @Test func `projections need no index that a rebuild makes at the end`() async throws {
        try await fill()
        let statements = projecting()
        let administrator = TestDatabase.current.administrator
        _ = try await administrator.withConnection { try await LateIndexes.drop(in: .live, on: $0) }
        try await withConnection(configuration.projecting.settings) { connection in
            for statement in statements {
                for plan in try await plans(statement, on: connection) {
                    #expect(plan.scans.isEmpty, "reads from end to end: \(plan.scans): \(statement)")
                    #expect(plan.indexes.isSubset(of: LateIndexes.needed), "\(plan.indexes)")
                }
            }
        }
    }

    /// What a projector and a rebuild write, and what an erasure does.
    private func projecting() -> [SQL] {
        var changes = TestLog(partitions: 1)
        changes.send("Hello", seq: 101, to: room, by: ada)
        changes.edit("Bye", seq: 100, of: room, by: ada)
        changes.edit("Bye bye", seq: 100, of: room, by: ada)
        changes.react("\u{1F44D}", to: 99, of: room, by: ada)
        changes.react("\u{1F44D}", to: 99, of: room, by: ada, adds: false)
        changes.pin(97, of: room, by: ada)
        changes.pin(96, of: room, by: ada, pins: false)
        changes.delete(98, of: room, sentBy: ada, by: ada)
        changes.mark(ada, in: room, delivered: 101, read: 101)
        changes.remove(ada, from: room, headSeq: 101, by: ada)
        changes.rename(room, by: ada)
        changes.changeProfile(ada, .init(displayName: "Ada"))
        changes.record(
            ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: Self.person(8), isBlocked: true)),
            on: room,
            by: ada
        )
        changes.record(
            ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 90)),
            on: room,
            by: ada
        )
        var statements: [SQL] = []
        for event in changes.events[0].compactMap(ProjectedEvent.init) {
            for type in Projections.all {
                var projection = type.init()
                projection.fold(event)
                statements += projection.statements(in: .live)
            }
            if let erasure = TextErasure(event) {
                statements += erasure.statements(from: 1, in: .live)
            }
        }
        statements.append(Checkpoint.move([.init(partition: 0, from: 1, to: 2)], in: .live))
        return statements
    }

    // MARK: Plans

    private var configuration: PostgresConfiguration {
        PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
    }

    private func withConnection(
        _ settings: [String: String],
        _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.settings = settings
        let connection = try await PostgresConnection.connect(configuration, logger: TestServer.logger)
        try await body(connection)
        await connection.close()
    }

    /// The plan for these parameters, and the one for any, as a session comes to it that runs the statement often.
    private func plans(_ statement: SQL, on connection: PostgresConnection) async throws -> [Plan] {
        struct Over: Error {}
        // Prepares it, and leaves nothing of what it does.
        do {
            try await connection.withTransaction { connection in
                _ = try await connection.query(statement)
                throw Over()
            }
        } catch is Over {}
        let prepared = try await connection.query(
            """
            SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements
            WHERE statement = \(statement.text)
            """
        )
        let name = try #require(try prepared.first?.decode("name", as: String.self), "\(statement)")
        let count = try prepared.first?.decode("parameters", as: Int.self) ?? 0
        let nulls = Array(repeating: "NULL" as SQL, count: count).joined(separator: ", ")
        let execute: SQL = "EXECUTE \(identifier: name)" + (count > 0 ? "(" + nulls + ")" : "")
        var plans = [try await plan("EXPLAIN (FORMAT JSON) " + statement, on: connection)]
        try await connection.execute("SET plan_cache_mode = force_generic_plan")
        plans.append(try await plan("EXPLAIN (FORMAT JSON) " + execute, on: connection))
        try await connection.execute("RESET plan_cache_mode")
        return plans
    }

    private func plan(_ explanation: SQL, on connection: PostgresConnection) async throws -> Plan {
        let rows = try await connection.query(explanation)
        let json = try #require(try rows.first?.decode(0, as: JSONText.self))
        var plan = Plan()
        plan.walk(try JSONSerialization.jsonObject(with: Data(json.bytes)))
        return plan
    }

    private struct Plan {
        var indexes: Set<String> = []
        var scans: [String] = []

        mutating func walk(_ value: Any) {
            if let list = value as? [Any] {
                for item in list { walk(item) }
            } else if let node = value as? [String: Any] {
                if let index = node["Index Name"] as? String { indexes.insert(index) }
                // The few checkpoints fit on a page.
                if node["Node Type"] as? String == "Seq Scan", let table = node["Relation Name"] as? String,
                    table != "checkpoints"
                {
                    scans.append(table)
                }
                for child in node.values { walk(child) }
            }
        }
    }

    // MARK: Rows

    private static func person(_ number: Int) -> UUID { id(0xa, number) }
    private static func group(_ number: Int) -> UUID { id(0xb, number) }

    /// As `id(kind, n)` in SQL below.
    private static func id(_ kind: Int, _ number: Int) -> UUID {
        let digits = String(format: "%08x", number &* 2_654_435_761 & 0xffff_ffff)
        return UUID(uuidString: "\(digits)-0000-4000-8000-00000000000\(String(kind, radix: 16))")
            ?? UUID()
    }

    private static func sqlID(_ kind: String, _ number: SQL) -> SQL {
        """
        (lpad(to_hex((\(number))::bigint * 2654435761 & 4294967295), 8, '0') || '-0000-4000-8000-00000000000'
            || \(kind))::uuid
        """
    }

    private func fill() async throws {
        let (group, person) = (Self.sqlID("b", "c"), Self.sqlID("a", "(c * 7 + m * 13) % 5000"))
        let pairs: SQL = """
            generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, \(Self.members)) m
            """
        let statements: [SQL] = [
            "INSERT INTO read_live.checkpoints (partition, position) SELECT p, 1 FROM generate_series(0, 15) p",
            """
            INSERT INTO read_live.conversations (
                conversation_id, partition, kind, created_by, created_at, updated_at, activity_at, member_count, head_seq,
                last_position, group_name, search_name)
            SELECT \(group), c % 16, 'group', \(group), now(), now(), now() - c * interval '1 minute', 20, 100, c * 100,
                'Group ' || c, 'group ' || c
            FROM generate_series(1, \(Self.groups)) c
            """,
            """
            INSERT INTO read_live.messages (
                conversation_id, seq, position, sent_at, recipient_count, message_id, sender_id, kind, text,
                partition)
            SELECT \(group), s, s * 16, now(), 19, gen_random_uuid(),
                \(Self.sqlID("a", "(c * 7 + (s % 20 + 1) * 13) % 5000")), 'text', 'A message like many others, ' || s,
                c % 16
            FROM generate_series(1, \(Self.messages)) s CROSS JOIN generate_series(1, \(Self.groups)) c
            """,
            """
            INSERT INTO read_live.memberships (
                conversation_id, user_id, from_position, from_seq, joined_at, role, partition)
            SELECT \(group), \(person), c, 0, now(), 'member', c % 16 FROM \(pairs)
            """,
            """
            INSERT INTO read_live.watermarks (
                conversation_id, user_id, from_position, from_seq, delivered_seq, read_seq, public_read_seq,
                partition)
            SELECT \(group), \(person), c, 0, 90, 80, 80, c % 16 FROM \(pairs)
            """,
            """
            INSERT INTO read_live.unread_counts (conversation_id, user_id, read_seq, own_after, partition)
            SELECT \(group), \(person), 80, 1, c % 16 FROM \(pairs)
            """,
            """
            INSERT INTO read_live.mentions (conversation_id, user_id, seq, partition)
            SELECT \(group), \(person), 85, c % 16 FROM \(pairs) WHERE m % 4 = 0
            """,
            """
            INSERT INTO read_live.receipt_ranges (
                conversation_id, user_id, kind, from_seq, to_seq, at, partition)
            SELECT \(group), \(person), k, n * 10, n * 10 + 10, now(), c % 16
            FROM \(pairs) CROSS JOIN generate_series(1, 2) k CROSS JOIN generate_series(0, 2) n
            """,
            """
            INSERT INTO read_live.deleted_messages (conversation_id, seq, sender_id, partition)
            SELECT \(group), n * 4, \(Self.sqlID("a", "c")), c % 16
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 20) n
            """,
            """
            INSERT INTO read_live.reactions (conversation_id, seq, emoji, user_id, position, partition)
            SELECT \(group), 20 + n, 'x', \(person), n, c % 16
            FROM \(pairs) CROSS JOIN generate_series(1, 10) n
            """,
            """
            UPDATE read_live.messages m SET pinned_at = now(), pinned_by = m.sender_id, pinned_position = m.position + 1
            WHERE m.seq % 10 = 0
            """,
            """
            INSERT INTO read_live.system_messages (
                conversation_id, after_seq, position, message_id, at, actor_id, user_ids, kind, details, partition)
            SELECT \(group), n, n * 16 + 1, gen_random_uuid(), now(), \(Self.sqlID("a", "c")), '{}', 'groupUpdated', '{}',
                c % 16
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 40) n
            """,
            """
            INSERT INTO read_live.blocks (position, blocked_at, partition, conversation_id, user_id, blocked_id)
            SELECT n, now() - n * interval '1 minute', c % 16, gen_random_uuid(), \(Self.sqlID("a", "c")),
                \(Self.sqlID("a", "(c + n) % 5000"))
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 20) n
            """,
            """
            INSERT INTO parley.stars (starred_at, seq, person_id, conversation_id, message_id)
            SELECT now() - n * interval '1 minute', n, \(Self.sqlID("a", "c")), \(group), gen_random_uuid()
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 40) n
            """,
            """
            INSERT INTO read_live.message_versions (conversation_id, seq, replaced_position, at, text, partition)
            SELECT \(group), 20 + n, n, now(), 'Something else, ' || n, c % 16
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 40) n
            """,
            """
            INSERT INTO read_live.users (
                user_id, partition, changed_position, created_at, read_receipts, display_name, sort_name, words)
            SELECT \(Self.sqlID("a", "c")), c % 16, c, now(), true, 'Person ' || c,
                'person ' || c || ' ' || substr(md5(c::text), 1, 7),
                to_tsvector('simple', 'person ' || c || ' ' || substr(md5(c::text), 1, 7))
            FROM generate_series(0, \(Self.people - 1)) c
            """,
        ]
        try await TestDatabase.current.administrator.withConnection { connection in
            for statement in statements { try await connection.execute(statement) }
            for table in ReadTable.allCases {
                try await connection.execute("ANALYZE \(table.name(in: .live))")
            }
            try await connection.execute("ANALYZE parley.stars")
        }
    }
}
