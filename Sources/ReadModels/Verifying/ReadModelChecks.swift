import Postgres

/// What holds in all read models.
enum ReadModelChecks {
    static let all = [
        parked, single, places, heads, memberCounts, unread, unreadOfMembers, watermarks, spans, ranges, lastRanges,
        erased, deleted, mentionsOfAll, reactions, systemMessages, searchChunks,
    ]

    private static let parked = Check(
        rule: "no stream is parked",
        violations: """
            SELECT p.projection || ' ' || p.category || '-' || p.stream_id || ' at ' || p.partition || ':' || p.position
                || ' (' || p.error || ')' AS subject
            FROM read_live.parked p
            """
    )

    /// Their keys do not say so: they end with what every change raises.
    private static let single = Check(
        rule: "conversations, members and partitions have one row each",
        violations: """
            SELECT c.conversation_id::text AS subject FROM read_live.conversations c
            GROUP BY c.conversation_id HAVING count(*) > 1
            UNION ALL
            SELECT u.user_id || ' in ' || u.conversation_id FROM read_live.unread_counts u
            GROUP BY u.user_id, u.conversation_id HAVING count(*) > 1
            UNION ALL
            SELECT 'partition ' || k.partition FROM read_live.checkpoints k
            GROUP BY k.partition HAVING count(*) > 1
            """
    )

    /// Their keys are unique as long as the partition follows from the conversation.
    private static let places = Check(
        rule: "all rows of a conversation are of its partition",
        violations: ReadTable.allCases.filter { $0.streamColumn == "conversation_id" }.map { table -> SQL in
            """
            SELECT DISTINCT t.conversation_id AS subject FROM \(table.name(in: .live)) t
            JOIN read_live.conversations c ON c.conversation_id = t.conversation_id
            WHERE t.partition <> c.partition
            """
        }.joined(separator: " UNION ")
    )

    /// Erasures that are not over yet may still show something.
    private static let erased = Check(
        rule: "nothing that an erased person said or is called is shown",
        violations: """
            SELECT x.person_id AS subject FROM parley.erasures x
            WHERE x.erased_at IS NOT NULL AND (
                EXISTS (SELECT FROM read_live.messages m WHERE m.sender_id = x.person_id AND m.text IS NOT NULL)
                OR EXISTS (
                    SELECT FROM read_live.message_versions v
                    JOIN read_live.messages m ON m.conversation_id = v.conversation_id AND m.seq = v.seq
                    WHERE m.sender_id = x.person_id AND v.text IS NOT NULL)
                OR EXISTS (SELECT FROM read_live.reactions r WHERE r.user_id = x.person_id)
                OR EXISTS (
                    SELECT FROM read_live.search_chunks k
                    WHERE k.words @@ quote_literal('@by:' || x.person_id)::tsquery)
                OR EXISTS (
                    SELECT FROM read_live.system_messages s
                    WHERE s.actor_id = x.person_id AND (s.group_name IS NOT NULL OR s.group_icon IS NOT NULL))
                OR EXISTS (
                    SELECT FROM read_live.users u
                    WHERE u.user_id = x.person_id
                        AND (NOT u.erased OR u.display_name IS NOT NULL OR u.sort_name IS NOT NULL
                            OR u.name_look IS NOT NULL OR u.name_letters IS NOT NULL
                            OR u.photo_url IS NOT NULL))
                OR EXISTS (
                    SELECT FROM read_live.conversations c
                    WHERE c.group_name_by = x.person_id AND c.group_name IS NOT NULL
                        OR c.group_icon_by = x.person_id AND c.group_icon IS NOT NULL))
            """
    )

    private static let deleted = Check(
        rule: "nothing is left of a deleted message",
        violations: """
            SELECT m.conversation_id || ' ' || m.seq AS subject
            FROM read_live.messages m
            LEFT JOIN read_live.deleted_messages d ON d.conversation_id = m.conversation_id AND d.seq = m.seq
            WHERE (d.seq IS NULL) <> (m.deleted_at IS NULL) OR m.deleted_at IS NOT NULL AND (
                m.text IS NOT NULL OR m.mentions IS NOT NULL OR m.mentions_all OR m.pinned_position IS NOT NULL
                OR d.sender_id <> m.sender_id
                OR EXISTS (
                    SELECT FROM read_live.message_versions v
                    WHERE v.conversation_id = m.conversation_id AND v.seq = m.seq))
            """
    )

    private static let mentionsOfAll = Check(
        rule: "messages that mention everyone are counted as such until they are deleted",
        violations: """
            SELECT coalesce(m.conversation_id, a.conversation_id) || ' ' || coalesce(m.seq, a.seq) AS subject
            FROM (SELECT * FROM read_live.messages WHERE mentions_all) m
            FULL JOIN read_live.mentions_of_all a ON a.conversation_id = m.conversation_id AND a.seq = m.seq
            LEFT JOIN read_live.deleted_messages d ON d.conversation_id = a.conversation_id AND d.seq = a.seq
            WHERE d.seq IS NULL AND a.sender_id IS DISTINCT FROM m.sender_id
            """
    )

    private static let reactions = Check(
        rule: "reactions are to messages that may have some",
        violations: """
            SELECT DISTINCT r.conversation_id || ' ' || r.seq AS subject
            FROM read_live.reactions r
            LEFT JOIN read_live.messages m ON m.conversation_id = r.conversation_id AND m.seq = r.seq
            WHERE m.has_reactions IS NOT TRUE
            """
    )

    private static let systemMessages = Check(
        rule: "system messages stand between the messages before and after them",
        violations: """
            SELECT s.conversation_id || ' at ' || s.position AS subject
            FROM read_live.system_messages s
            LEFT JOIN read_live.messages b ON b.conversation_id = s.conversation_id AND b.seq = s.after_seq
            LEFT JOIN read_live.messages a ON a.conversation_id = s.conversation_id AND a.seq = s.after_seq + 1
            WHERE s.after_seq > 0 AND b.seq IS NULL OR b.position > s.position OR a.position < s.position
            """
    )

    /// Their words are Parley's to make, and are compared with the messages whenever something is found by them.
    private static let searchChunks = Check(
        rule: "every message is in a chunk of search, and words are those of whole chunks",
        violations: """
            SELECT coalesce(k.conversation_id, m.conversation_id) || ' ' || coalesce(k.chunk, m.chunk) AS subject
            FROM read_live.search_chunks k
            FULL JOIN (
                SELECT m.conversation_id, (m.seq - 1) / \(SearchChunk.size) AS chunk, min(m.sent_at) FILTER (WHERE m.seq % \(SearchChunk.size) = 1) AS first_at,
                    max(m.sent_at) FILTER (WHERE m.seq % \(SearchChunk.size) = 0) AS last_at
                FROM read_live.messages m
                GROUP BY 1, 2
            ) m ON m.conversation_id = k.conversation_id AND m.chunk = k.chunk
            WHERE k.first_at IS DISTINCT FROM m.first_at OR k.last_at IS DISTINCT FROM m.last_at
                OR k.words IS NOT NULL AND k.last_at IS NULL
            """
    )

    private static let heads = Check(
        rule: "messages run 1, 2, 3, … up to the head of their conversation",
        violations: """
            SELECT coalesce(c.conversation_id, m.conversation_id) AS subject
            FROM read_live.conversations c
            FULL JOIN (
                SELECT m.conversation_id, min(m.seq) AS first, max(m.seq) AS last, count(*) AS count
                FROM read_live.messages m
                GROUP BY m.conversation_id
            ) m ON m.conversation_id = c.conversation_id
            WHERE coalesce(c.head_seq, -1) <> coalesce(m.last, 0) OR coalesce(m.last, 0) <> coalesce(m.count, 0)
                OR coalesce(m.first, 1) <> 1
            """
    )

    private static let memberCounts = Check(
        rule: "a conversation has as many members as it counts",
        violations: """
            SELECT c.conversation_id AS subject FROM read_live.conversations c
            WHERE c.member_count <> (
                SELECT count(*) FROM read_live.memberships m
                WHERE m.conversation_id = c.conversation_id AND m.to_position IS NULL)
            """
    )

    /// The brute-force count, by the marks of another read model.
    private static let unread = Check(
        rule: "unread counts are what counting gives",
        violations: """
            SELECT w.user_id || ' in ' || w.conversation_id AS subject
            FROM read_live.watermarks w
            JOIN read_live.conversations c ON c.conversation_id = w.conversation_id
            LEFT JOIN read_live.unread_counts u ON u.conversation_id = w.conversation_id AND u.user_id = w.user_id
            WHERE w.to_seq IS NULL AND (
                u.read_seq IS DISTINCT FROM w.read_seq
                OR \(UnreadQuery.count) IS DISTINCT FROM (
                    SELECT count(*) FROM read_live.messages m
                    WHERE m.conversation_id = w.conversation_id AND m.seq > w.read_seq AND m.sender_id <> w.user_id
                        AND m.deleted_at IS NULL))
            """
    )

    private static let unreadOfMembers = Check(
        rule: "only members have unread messages",
        violations: """
            SELECT u.user_id || ' in ' || u.conversation_id AS subject FROM read_live.unread_counts u
            WHERE NOT EXISTS (
                SELECT FROM read_live.memberships m
                WHERE m.conversation_id = u.conversation_id AND m.user_id = u.user_id AND m.to_position IS NULL)
            """
    )

    private static let watermarks = Check(
        rule: "marks stand in order between joining and the head or leaving",
        violations: """
            SELECT w.user_id || ' in ' || w.conversation_id AS subject
            FROM read_live.watermarks w
            LEFT JOIN read_live.conversations c ON c.conversation_id = w.conversation_id
            WHERE (w.from_seq <= w.public_read_seq AND w.public_read_seq <= w.delivered_seq
                AND w.from_seq <= w.read_seq AND w.read_seq <= w.delivered_seq
                AND w.delivered_seq <= coalesce(w.to_seq, c.head_seq)) IS NOT TRUE
            """
    )

    private static let spans = Check(
        rule: "lists and receipts know the same memberships",
        violations: """
            SELECT coalesce(m.user_id, w.user_id) || ' in ' || coalesce(m.conversation_id, w.conversation_id) AS subject
            FROM read_live.memberships m
            FULL JOIN read_live.watermarks w ON w.conversation_id = m.conversation_id AND w.user_id = m.user_id
                AND w.from_position = m.from_position
            WHERE m.from_seq IS DISTINCT FROM w.from_seq OR m.to_seq IS DISTINCT FROM w.to_seq
            """
    )

    private static let ranges = Check(
        rule: "the advances of a mark follow each other without overlap",
        violations: """
            SELECT x.user_id || ' in ' || x.conversation_id AS subject
            FROM (
                SELECT r.conversation_id, r.user_id, r.from_seq, lag(r.to_seq) OVER (
                    PARTITION BY r.conversation_id, r.user_id, r.kind ORDER BY r.from_seq) AS previous
                FROM read_live.receipt_ranges r
            ) x
            WHERE x.from_seq < x.previous
            """
    )

    private static let lastRanges = Check(
        rule: "a mark stands where its advances end",
        violations: """
            SELECT w.user_id || ' in ' || w.conversation_id AS subject
            FROM read_live.watermarks w
            CROSS JOIN LATERAL (VALUES (1::smallint, w.delivered_seq), (2::smallint, w.public_read_seq)) AS k (kind, seq)
            WHERE k.seq <> w.from_seq + coalesce((
                SELECT sum(r.to_seq - r.from_seq) FROM read_live.receipt_ranges r
                WHERE r.conversation_id = w.conversation_id AND r.user_id = w.user_id AND r.kind = k.kind
                    AND r.from_seq >= w.from_seq AND (w.to_seq IS NULL OR r.to_seq <= w.to_seq)), 0)
            """
    )
}
