import Foundation
import ParleyWire
import Postgres

extension Queries {
    /// What is so now of these people and messages, in their order.
    package func pushFacts(of subjects: [PushSubject]) async throws -> [PushFacts] {
        guard !subjects.isEmpty else { return [] }
        let rows = try await pool.query(Self.pushFacts(of: subjects))
        return try rows.map(PushFacts.init)
    }

    static func pushFacts(of subjects: [PushSubject]) -> SQL {
        """
        WITH keys AS (
            SELECT * FROM unnest(
                \(subjects.map(\.conversation)), \(subjects.map(\.person)), \(subjects.map(\.fromSeq)),
                \(subjects.map(\.seq))
            ) WITH ORDINALITY AS k (conversation, person, from_seq, seq, n)
        ), badges AS MATERIALIZED (
            SELECT k.person, t.unmuted
            FROM (SELECT DISTINCT person FROM keys) k
            CROSS JOIN LATERAL (\(UnreadQuery.total(of: "k.person"))) t
        )
        SELECT b.unmuted, m.user_id IS NOT NULL AS is_member, m.muted_until, m.notification_level,
            coalesce(u.read_seq, 0) AS read_seq, coalesce(r.unread, 0) AS unread, w.news,
            CASE WHEN c.kind = 'group' THEN coalesce(c.group_name, '') END AS group_name,
            x.message_id, x.sender_id, x.text, x.attachments, x.deleted_at IS NOT NULL AS is_deleted,
            x.mentions_all OR k.person = ANY (x.mentions) AS mentions_person, s.display_name,
            EXISTS (
                SELECT FROM read_live.blocks o
                WHERE o.user_id = k.person AND o.blocked_id = x.sender_id AND o.blocked_at IS NOT NULL) AS is_blocked
        FROM keys k
        JOIN badges b ON b.person = k.person
        LEFT JOIN LATERAL (\(NewestVersion.ofConversation("k.conversation"))) c ON true
        LEFT JOIN LATERAL (\(NewestVersion.ofMember("k.person", of: "k.conversation"))) u ON true
        LEFT JOIN read_live.memberships m ON m.conversation_id = k.conversation AND m.user_id = k.person
            AND m.to_position IS NULL
        LEFT JOIN read_live.messages x ON x.conversation_id = k.conversation AND x.seq = k.seq
        LEFT JOIN LATERAL (
            SELECT p.display_name FROM read_live.users p WHERE p.user_id = x.sender_id LIMIT 1) s ON true
        CROSS JOIN LATERAL (SELECT \(UnreadQuery.count) AS unread) r
        CROSS JOIN LATERAL (
            SELECT count(*) AS news FROM (
                SELECT FROM read_live.messages y
                WHERE y.conversation_id = k.conversation AND y.seq BETWEEN k.from_seq AND k.seq
                    AND y.sender_id <> k.person AND y.deleted_at IS NULL
                    AND (m.notification_level IS DISTINCT FROM 'mentions' OR y.mentions_all OR k.person = ANY (y.mentions))
                    AND NOT EXISTS (
                        SELECT FROM read_live.blocks o
                        WHERE o.user_id = k.person AND o.blocked_id = y.sender_id AND o.blocked_at IS NOT NULL)
                LIMIT \(Int64(PushFacts.mostNews))
            ) y
        ) w
        ORDER BY k.n
        """
    }
}

extension PushFacts {
    fileprivate init(_ row: Row) throws {
        self.init()
        isMember = try row.decode("is_member")
        mutedUntil = try row.decode("muted_until")
        level = try row.decode("notification_level", as: String?.self).flatMap(NotificationLevel.init) ?? .all
        readSeq = try row.decode("read_seq")
        unread = try row.decode("unread")
        news = try row.decode("news")
        badge = try row.decode("unmuted")
        groupName = try row.decode("group_name")
        guard let id = try row.decode("message_id", as: UUID?.self) else { return }
        message = Message(
            id: id,
            sender: try row.decode("sender_id"),
            senderName: try row.decode("display_name"),
            text: try row.decode("text"),
            files: try MessageFiles.kinds(row.decode("attachments")) ?? [],
            isDeleted: try row.decode("is_deleted"),
            mentionsPerson: try row.decode("mentions_person", as: Bool?.self) ?? false,
            isSenderBlocked: try row.decode("is_blocked")
        )
    }
}
