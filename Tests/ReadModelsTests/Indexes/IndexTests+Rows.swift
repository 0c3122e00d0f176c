import Foundation
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// As many rows as a busy server has.
extension IndexTests {
    private static let groups = 2_000
    private static let messages = 100
    private static let members = 20
    private static let people = 5_000

    static func person(_ number: Int) -> UUID { id(0xa, number) }
    static func group(_ number: Int) -> UUID { id(0xb, number) }

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

    /// A message in each of a few conversations.
    func fillSmall(conversations: Int, isAnalyzed: Bool) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO read_live.messages (
                    conversation_id, seq, position, sent_at, recipient_count, message_id, sender_id, kind, text, partition)
                SELECT \(Self.sqlID("b", "c")), 1, c, now(), 2, gen_random_uuid(), \(Self.sqlID("a", "c")), 'text', 'Hello', c % 16
                FROM generate_series(1, \(conversations)) c
                """
            )
            if isAnalyzed { try await connection.execute("ANALYZE read_live.messages") }
        }
    }

    func fill() async throws {
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
                partition, expires_at)
            SELECT \(group), s, s * 16, now(), 19, gen_random_uuid(),
                \(Self.sqlID("a", "(c * 7 + (s % 20 + 1) * 13) % 5000")), 'text', 'A message like many others, ' || s,
                c % 16, CASE WHEN s % 50 = 0 THEN now() + s * interval '1 hour' END
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
            INSERT INTO read_live.mentions_of_all (conversation_id, seq, sender_id, partition)
            SELECT \(group), s, \(Self.sqlID("a", "c")), c % 16
            FROM generate_series(1, \(Self.messages)) s CROSS JOIN generate_series(1, \(Self.groups)) c
            WHERE s % 4 = 1
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
            INSERT INTO read_live.hidden_messages (seq, position, hidden_at, partition, conversation_id, user_id)
            SELECT n, n, now(), c % 16, \(group), \(Self.sqlID("a", "c"))
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 20) n
            """,
            """
            INSERT INTO read_live.search_chunks (conversation_id, chunk, partition, first_at, last_at, words, dictionary)
            SELECT \(group), n, c % 16, t.at, CASE WHEN n < 3 THEN t.at END,
                CASE WHEN n < 2 THEN ('common:1,2,3 rare' || c || ':4')::tsvector END, CASE WHEN n < 2 THEN 'simple' END
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(0, 3) n
            CROSS JOIN LATERAL (SELECT now() - n * interval '1 hour' + c * interval '1 second' AS at) t
            """,
            """
            INSERT INTO parley.stars (starred_at, seq, person_id, conversation_id, message_id)
            SELECT now() - n * interval '1 minute', n, \(Self.sqlID("a", "c")), \(group), gen_random_uuid()
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 40) n
            """,
            """
            INSERT INTO parley.scheduled_messages (
                send_at, due_at, created_at, author_id, message_id, conversation_id, key_id, sealed)
            SELECT t.at, t.at, now(), \(Self.sqlID("a", "c")), gen_random_uuid(), \(group), gen_random_uuid(), '\\x00'
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 20) n
            CROSS JOIN LATERAL (SELECT now() + n * interval '1 hour' + c * interval '1 second' AS at) t
            """,
            """
            INSERT INTO read_live.message_versions (conversation_id, seq, replaced_position, at, text, partition)
            SELECT \(group), 20 + n, n, now(), 'Something else, ' || n, c % 16
            FROM generate_series(1, \(Self.groups)) c CROSS JOIN generate_series(1, 40) n
            """,
            """
            INSERT INTO read_live.users (
                user_id, partition, changed_position, created_at, read_receipts, display_name, sort_name, words,
                name_look, name_letters)
            SELECT \(Self.sqlID("a", "c")), c % 16, c, now(), true, 'Person ' || c,
                'person ' || c || ' ' || substr(md5(c::text), 1, 7),
                to_tsvector('simple', 'person ' || c || ' ' || substr(md5(c::text), 1, 7)),
                'person ' || c / 3, 'person ' || c / 2
            FROM generate_series(0, \(Self.people - 1)) c
            """,
        ]
        try await TestDatabase.current.administrator.withConnection { connection in
            for statement in statements { try await connection.execute(statement) }
            for table in ReadTable.allCases {
                try await connection.execute("ANALYZE \(table.name(in: .live))")
            }
            try await connection.execute("ANALYZE parley.stars")
            try await connection.execute("ANALYZE parley.scheduled_messages")
        }
    }
}
