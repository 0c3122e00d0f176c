import Foundation
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// The index that each hot query uses.
@Suite(.database) struct IndexTests {
    let ada = UUID()
    let room = UUID()

    private func ranges() -> [MessageRange] {
        [MessageRange(conversation: room, first: 1, last: 50, floor: 0)]
    }

    private func key() -> SQL {
        "SELECT \(ada)::uuid AS user_id, \(room)::uuid AS conversation_id, 1 AS n"
    }

    @Test func `conversations are found by their keys`() async throws {
        let indexes = try await indexes(ConversationQuery.statement(for: key()))
        #expect(
            indexes == [
                "conversations_pkey", "memberships_pkey", "mentions_pkey", "messages_pkey", "unread_counts_pkey",
                "watermarks_pkey",
            ]
        )
    }

    @Test func `a list begins with the caller's memberships`() async throws {
        let list = ConversationListQuery(caller: ada, filter: .unread, text: "grace", cursor: nil, limit: 50)
        let indexes = try await indexes(list.keys())
        #expect(indexes.isSuperset(of: ["memberships_user_idx", "conversations_pkey", "unread_counts_pkey"]))
    }

    @Test func `a history is read in its order`() async throws {
        #expect(try await indexes(MessageReader.statement(for: ranges())) == ["messages_pkey"])
    }

    @Test func `receipts are read by conversation and person`() async throws {
        let tally = try await indexes(ReceiptTally.statement(for: ranges(), without: ada))
        #expect(tally == ["watermarks_pkey"])
        let times = try await indexes(ReceiptTimes.statement(for: ranges(), without: ada))
        #expect(times == ["receipt_ranges_pkey", "watermarks_pkey"])
    }

    @Test func `unread counts are read by person and conversation`() async throws {
        let indexes = try await indexes(UnreadQuery.statement(for: [UnreadKey(user: ada, conversation: room)]))
        #expect(indexes == ["conversations_pkey", "mentions_pkey", "messages_pkey", "unread_counts_pkey"])
    }

    @Test func `a stream opens by its person's memberships`() async throws {
        let indexes = try await indexes(StreamOpening.statement(for: ada))
        #expect(indexes == ["conversations_pkey", "memberships_user_idx"])
    }

    @Test func `a misspelled name is found by its trigrams`() async throws {
        let statement = try #require(Queries.statement(spelledLike: DirectoryName("Grcae"), where: "u.sort_name <> ''"))
        #expect(try await indexes(statement) == ["users_spelling_idx"])
    }

    @Test func `changed people are found by position`() async throws {
        let span = UserQuery.Span(partition: 0, since: 10, last: 20)
        let indexes = try await indexes(UserQuery.changes([span], caller: ada, limit: 100))
        #expect(indexes.isSuperset(of: ["users_changed_idx"]))
        #expect(
            indexes.isSubset(of: [
                "users_changed_idx", "memberships_user_idx", "memberships_current_key", "memberships_pkey",
            ])
        )
    }

    @Test func `the directory is searched by words and read in order`() async throws {
        let searched: SQL = "SELECT FROM read_live.users u WHERE u.words @@ \("'ad':*")::text::tsquery"
        #expect(try await indexes(searched) == ["users_words_idx"])
        let paged: SQL = """
            SELECT FROM read_live.users u
            WHERE u.sort_name IS NOT NULL AND (u.sort_name, u.user_id) > (\("ada"), \(ada))
            ORDER BY u.sort_name, u.user_id LIMIT 50
            """
        #expect(try await indexes(paged) == ["users_directory_idx"])
    }

    @Test func `projections find the rows that they change by key`() async throws {
        var changes = TestLog(partitions: 1)
        changes.send("Hello", seq: 1, to: room, by: ada)
        changes.mark(ada, in: room, delivered: 1, read: 1)
        changes.remove(ada, from: room, headSeq: 1, by: ada)
        changes.rename(room, by: ada)
        var statements: [SQL] = []
        for event in changes.events[0].map(ProjectedEvent.init) {
            for type in Projections.all {
                var projection = type.init()
                projection.fold(event)
                statements += projection.statements(in: .live)
            }
        }
        #expect(statements.count > 5)
        statements.append(Checkpoint.move([.init(partition: 0, from: 1, to: 2)], in: .live))
        for statement in statements { _ = try await indexes(statement) }
    }

    /// Enough rows that plans are about more than empty tables: 500 groups of 20 people and 20 messages each.
    private func fill() async throws {
        let administrator = TestDatabase.current.administrator
        let filled = try await administrator.query("SELECT FROM read_live.conversations LIMIT 1")
        guard filled.isEmpty else { return }
        let group: SQL = "md5('group ' || c)::uuid"
        for (table, columns, values) in [
            (
                "conversations",
                "conversation_id, partition, kind, created_by, created_at, updated_at, activity_at, member_count, "
                    + "head_seq, last_position",
                """
                SELECT \(group), c % 4, 'group', \(group), now(), now(), now(), 20, 20, c
                FROM generate_series(1, 500) c
                """
            ),
            (
                "messages",
                "conversation_id, seq, position, sent_at, recipient_count, message_id, sender_id, kind",
                "SELECT \(group), m, c, now(), 19, gen_random_uuid(), \(group), 'text' FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "memberships", "conversation_id, user_id, from_position, from_seq, joined_at, role",
                "SELECT \(group), md5((c + m) % 500 || '')::uuid, c, 0, now(), 'member' FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "watermarks",
                "conversation_id, user_id, from_position, from_seq, delivered_seq, read_seq, public_read_seq",
                "SELECT \(group), md5((c + m) % 500 || '')::uuid, c, 0, 0, 0, 0 FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "unread_counts", "conversation_id, user_id, read_seq, own_after",
                "SELECT \(group), md5((c + m) % 500 || '')::uuid, 0, 0 FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "mentions", "conversation_id, user_id, seq",
                "SELECT \(group), md5((c + m) % 500 || '')::uuid, m FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "receipt_ranges", "conversation_id, user_id, kind, from_seq, to_seq, at",
                "SELECT \(group), md5((c + m) % 500 || '')::uuid, 1, 0, 1, now() FROM \(Self.pairs) AS p (c, m)"
            ),
            (
                "users",
                "user_id, partition, changed_position, created_at, read_receipts, display_name, sort_name, words",
                """
                SELECT md5(c || '')::uuid, c % 4, c, now(), true, 'P ' || c, 'p ' || c, ('p ' || c)::tsvector
                FROM generate_series(1, 500) c
                """
            ),
        ] as [(String, String, SQL)] {
            let names = columns.split(separator: ", ").map { "\(identifier: String($0))" as SQL }.joined(
                separator: ", "
            )
            let name: SQL = "read_live.\(identifier: table)"
            try await administrator.execute("INSERT INTO \(name) (\(names)) \(values)")
            try await administrator.execute("ANALYZE \(name)")
        }
    }

    private static let pairs: SQL = "(SELECT c, m FROM generate_series(1, 500) c, generate_series(1, 20) m)"

    /// The indexes of a statement's plan, which reads no table from end to end.
    private func indexes(_ statement: SQL) async throws -> Set<String> {
        try await fill()
        // As the projector and long-lived sessions have it: a plan for any parameters.
        let rows = try await TestDatabase.current.pool.withTransaction { connection in
            for setting in ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"] {
                try await connection.execute("SELECT set_config(\(setting), 'off', true)")
            }
            try await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            return try await connection.query("EXPLAIN (FORMAT JSON) " + statement)
        }
        let json = try #require(try rows.first?.decode(0, as: JSONText.self))
        var plan = Plan()
        plan.walk(try JSONSerialization.jsonObject(with: Data(json.bytes)))
        #expect(plan.scans.isEmpty, "reads from end to end: \(plan.scans)")
        return plan.indexes
    }

    private struct Plan {
        var indexes: Set<String> = []
        var scans: [String] = []

        mutating func walk(_ value: Any) {
            if let list = value as? [Any] {
                for item in list { walk(item) }
            } else if let node = value as? [String: Any] {
                if let index = node["Index Name"] as? String { indexes.insert(index) }
                if node["Node Type"] as? String == "Seq Scan", let table = node["Relation Name"] as? String {
                    scans.append(table)
                }
                for child in node.values { walk(child) }
            }
        }
    }
}
