package import Foundation
package import ParleyWire
import Postgres

/// Whose unread messages, and where.
package struct UnreadKey: Hashable, Sendable {
    package let user: UUID
    package let conversation: UUID

    package init(user: UUID, conversation: UUID) {
        self.user = user
        self.conversation = conversation
    }
}

/// What a person has not read in a conversation, and altogether.
package struct UnreadState: Sendable, Equatable {
    package let key: UnreadKey
    package let unreadCount: Int
    package let mentionCount: Int
    package let firstUnreadSeq: Int64?
    package let total: TotalUnread

    package var event: StreamEvent.UnreadUpdated {
        StreamEvent.UnreadUpdated(
            conversationId: WireID(key.conversation),
            unreadCount: unreadCount,
            mentionCount: mentionCount,
            firstUnreadSeq: firstUnreadSeq,
            totalUnread: total.all,
            totalUnreadUnmuted: total.unmuted,
            totalMentions: total.mentions
        )
    }
}

extension Queries {
    /// The unread counts of many pairs at once; zero where the person is no member.
    package func unread(_ keys: [UnreadKey]) async throws -> [UnreadState] {
        guard !keys.isEmpty else { return [] }
        return try await pool.query(UnreadQuery.statement(for: keys)).map { row in
            UnreadState(
                key: UnreadKey(user: try row.decode("user_id"), conversation: try row.decode("conversation_id")),
                unreadCount: try row.decode("unread"),
                mentionCount: try row.decode("mention_count"),
                firstUnreadSeq: try row.decode("first_unread"),
                total: try TotalUnread(row)
            )
        }
    }

    /// What a person has not read altogether.
    package func totalUnread(of person: UUID) async throws -> TotalUnread {
        try await pool.withConnection { try await UnreadQuery.total(of: person, on: $0) }
    }
}

/// What a person has not read altogether, in all that the person's list shows.
package struct TotalUnread: Sendable, Equatable {
    package let all: Int
    /// Without what is muted now.
    package let unmuted: Int
    /// Those that mention the person.
    package let mentions: Int

    package init(all: Int, unmuted: Int, mentions: Int) {
        self.all = all
        self.unmuted = unmuted
        self.mentions = mentions
    }

    fileprivate init(_ row: Row) throws {
        self.init(
            all: try row.decode("total"),
            unmuted: try row.decode("unmuted"),
            mentions: try row.decode("mentions")
        )
    }
}

/// Reads `unread_counts` on a connection, alone or as part of a snapshot.
enum UnreadQuery {
    static func total(of person: UUID, on connection: PostgresConnection) async throws -> TotalUnread {
        let rows = try await connection.query(total(of: "\(person)"))
        return try rows.first.map(TotalUnread.init) ?? TotalUnread(all: 0, unmuted: 0, mentions: 0)
    }

    static func statement(for keys: [UnreadKey]) -> SQL {
        """
        WITH totals AS MATERIALIZED (
            SELECT k.user_id, t.total, t.unmuted, t.mentions
            FROM unnest(\(Array(Set(keys.map(\.user))))) AS k (user_id)
            CROSS JOIN LATERAL (\(total(of: "k.user_id"))) t
        )
        SELECT k.user_id, k.conversation_id, coalesce(r.unread, 0) AS unread, t.total, t.unmuted, t.mentions,
            CASE WHEN r.unread > 0 THEN (\(mentions(of: "k.user_id"))) ELSE 0 END AS mention_count,
            CASE WHEN r.unread > 0 THEN (\(first(of: "k.user_id"))) END AS first_unread
        FROM unnest(\(keys.map(\.user)), \(keys.map(\.conversation))) AS k (user_id, conversation_id)
        JOIN totals t ON t.user_id = k.user_id
        LEFT JOIN LATERAL (\(NewestVersion.ofMember("k.user_id", of: "k.conversation_id"))) u ON true
        LEFT JOIN LATERAL (\(NewestVersion.ofConversation("u.conversation_id"))) c ON true
        CROSS JOIN LATERAL (SELECT \(count) AS unread) r
        """
    }

    /// What a member `u` of a conversation `c` has not read: others' messages past the mark that are not deleted.
    static let count: SQL = """
        (SELECT CASE WHEN c.head_seq > u.read_seq + u.own_after THEN greatest(0, c.head_seq - u.read_seq - u.own_after - (
            SELECT count(*) FROM read_live.deleted_messages x
            WHERE x.conversation_id = u.conversation_id AND x.seq > u.read_seq AND x.sender_id <> u.user_id
        )) ELSE 0 END WHERE u.user_id IS NOT NULL)
        """

    /// How often what the member `u` has not read mentions a person, alone or with everyone.
    static func mentions(of person: SQL) -> SQL {
        "SELECT count(*) FROM (\(mentioning(person))) x"
    }

    /// What mentions a person of what the member `u` has not read; no message is there twice.
    static func mentioning(_ person: SQL) -> SQL {
        let isThere: SQL = """
            NOT EXISTS (
                SELECT FROM read_live.deleted_messages d
                WHERE d.conversation_id = x.conversation_id AND d.seq = x.seq)
            """
        return """
            SELECT x.seq FROM read_live.mentions x
            WHERE x.conversation_id = u.conversation_id AND x.user_id = \(person) AND x.seq > u.read_seq
                AND \(isThere)
            UNION ALL
            SELECT x.seq FROM read_live.mentions_of_all x
            WHERE x.conversation_id = u.conversation_id AND x.sender_id <> \(person) AND x.seq > u.read_seq
                AND \(isThere)
            """
    }

    /// The first message that the member `u` has not read.
    static func first(of person: SQL) -> SQL {
        """
        SELECT x.seq FROM read_live.messages x
        WHERE x.conversation_id = u.conversation_id AND x.seq > u.read_seq AND x.sender_id <> \(person)
            AND x.deleted_at IS NULL
        ORDER BY x.seq LIMIT 1
        """
    }

    /// `OFFSET 0` has each count made once: without it, PostgreSQL puts it in each of the three places that read it.
    static func total(of person: SQL) -> SQL {
        """
        SELECT coalesce(sum(r.unread), 0)::bigint AS total,
            coalesce(sum(r.unread) FILTER (WHERE m.muted_until IS NULL OR m.muted_until <= now()), 0)::bigint AS unmuted,
            coalesce(sum(CASE WHEN r.unread > 0 THEN (\(mentions(of: person))) END), 0)::bigint AS mentions
        FROM read_live.unread_counts u
        JOIN read_live.conversations c ON c.conversation_id = u.conversation_id
        LEFT JOIN read_live.memberships m ON m.user_id = \(person) AND m.conversation_id = u.conversation_id
            AND m.to_position IS NULL AND (m.muted_until IS NOT NULL OR m.cleared_seq IS NOT NULL)
        CROSS JOIN LATERAL (SELECT \(count) AS unread OFFSET 0) r
        WHERE u.user_id = \(person) AND c.head_seq > u.read_seq + u.own_after
            AND (m.cleared_seq IS NULL OR c.head_seq > m.cleared_seq)
        """
    }
}
