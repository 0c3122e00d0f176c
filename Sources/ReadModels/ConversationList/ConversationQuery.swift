import Foundation
import ParleyWire
import Postgres

/// Reads conversations on a connection, alone or as part of a snapshot.
enum ConversationQuery {
    /// Above this, the people in a conversation are paged apart from it.
    static let maximumParticipants = 50

    /// The conversations of `keys`, a query that names `user_id`, `conversation_id` and their order `n`; left out where
    /// the person never was a member.
    ///
    /// A former member sees the conversation as it was left. The newest membership decides.
    static func rows(_ keys: SQL, on connection: PostgresConnection) async throws -> [ConversationRow] {
        var rows = try await connection.query(statement(for: keys)).map(ConversationRow.init)
        try await GroupAsLeft.restore(&rows, on: connection)
        return rows
    }

    /// Whether the membership `m` has put the conversation `c` into the archive, and no message has taken it out since: one
    /// that comes while it is muted does not.
    static let isArchived: SQL = """
        coalesce(c.head_seq <= m.archived_seq OR m.archived_seq IS NOT NULL AND c.activity_at < m.muted_until, false)
        """

    /// What whoever has the membership `m` of the conversation `c` may read: after `floor`, up to `ceiling`. The one place
    /// that says so, for whatever is read.
    ///
    /// Who has left reads what could be read then, whatever the group shows since. Where that is not known, it is the less.
    static let readable: SQL = """
        SELECT CASE v.visibility WHEN 'joined' THEN m.from_seq ELSE 0 END AS floor,
            CASE v.visibility WHEN 'joined' THEN m.from_position ELSE 0 END AS first_position,
            CASE WHEN m.to_position IS NULL THEN c.head_seq ELSE m.to_seq END AS ceiling
        FROM (
            SELECT CASE WHEN m.to_position IS NULL THEN c.history_visibility
                ELSE coalesce((\(GroupAsLeft.historyVisibility)), 'joined') END AS visibility) v
        """

    static func statement(for keys: SQL) -> SQL {
        """
        WITH keys AS (\(keys))
        SELECT
            k.user_id AS caller, c.conversation_id, c.kind, c.group_name, c.group_icon, c.join_policy,
            c.history_visibility, c.send_by, c.add_members_by, c.change_info_by, c.pin_by, c.retention, c.slow_mode, c.created_by, c.created_at, c.activity_at, m.role, m.to_position,
            m.muted_until, m.notification_level, m.pinned_at, \(isArchived) AS archived,
            d.key_id AS draft_key, d.sealed AS draft_sealed, d.updated_at AS draft_at,
            coalesce(c.head_seq <= m.cleared_seq, false) AS cleared,
            coalesce(w.read_seq <= m.unread_after, false) AS marked_unread,
            h.floor AS history_floor, h.ceiling AS history_ceiling, h.first_position,
            coalesce(m.left_at, c.updated_at) AS updated_at,
            coalesce(m.to_position, greatest(c.revision, m.changed_position, m.from_position)) AS revision,
            CASE WHEN m.to_position IS NULL THEN c.member_count ELSE (
                SELECT count(*)::int FROM read_live.memberships x
                WHERE x.conversation_id = c.conversation_id AND x.from_position < m.to_position
                    AND (x.to_position IS NULL OR x.to_position > m.to_position)) END AS member_count,
            coalesce(w.delivered_seq, m.from_seq) AS delivered_seq, coalesce(w.read_seq, m.from_seq) AS read_seq,
            r.unread,
            CASE WHEN r.unread = 0 THEN 0 ELSE (\(UnreadQuery.mentions(of: "k.user_id"))) END AS mention_count,
            CASE WHEN r.unread > 0 THEN (\(UnreadQuery.first(of: "k.user_id"))) END AS first_unread,
            l.message_id AS last_id, l.seq AS last_seq, l.sender_id AS last_sender,
            CASE WHEN o.at IS NULL THEN l.text ELSE o.text END AS last_text,
            l.kind AS last_kind, l.attachments AS last_attachments, l.sent_at AS last_sent_at, l.deleted_at AS last_deleted_at,
            CASE WHEN l.seq = m.hidden_seq THEN m.hidden_at END AS last_hidden_at
        FROM keys k
        CROSS JOIN LATERAL (\(NewestVersion.ofConversation("k.conversation_id"))) c
        CROSS JOIN LATERAL (
            SELECT x.* FROM read_live.memberships x
            WHERE x.conversation_id = k.conversation_id AND x.user_id = k.user_id
            ORDER BY x.from_position DESC LIMIT 1) m
        LEFT JOIN parley.drafts d ON d.person_id = k.user_id AND d.conversation_id = k.conversation_id
            AND m.to_position IS NULL AND d.written_at >= m.joined_at
        CROSS JOIN LATERAL (\(readable)) h
        LEFT JOIN read_live.watermarks w ON w.conversation_id = m.conversation_id AND w.user_id = m.user_id
            AND w.from_position = m.from_position
        LEFT JOIN LATERAL (\(NewestVersion.ofMember("m.user_id", of: "m.conversation_id"))) u
            ON m.to_position IS NULL
        CROSS JOIN LATERAL (
            SELECT coalesce(\(UnreadQuery.count), 0) AS unread) r
        LEFT JOIN read_live.messages l ON l.conversation_id = c.conversation_id AND l.seq = h.ceiling
            AND l.seq > h.floor
        LEFT JOIN LATERAL (\(EarlierText.of("l", until: "m.to_position"))) o ON true
        ORDER BY k.n
        """
    }

    /// Adds the people to conversations that are not too large for that.
    ///
    /// - Returns: everyone who was added.
    static func addParticipants(
        to rows: inout [ConversationRow],
        on connection: PostgresConnection
    ) async throws -> [WireID: UserSummary] {
        let small = rows.filter { $0.conversation.participantCount <= maximumParticipants }
        // The moment at which the conversation is seen; callers who are members see the same one.
        let keys = Set(small.map { SeenAt(conversation: $0.id, position: $0.toPosition ?? .max) })
        guard !keys.isEmpty else { return [:] }
        let found = try await connection.query(
            """
            SELECT k.position, m.conversation_id, \(Participant.columns(at: "k.position"))
            FROM unnest(\(keys.map(\.conversation)), \(keys.map(\.position))) AS k (conversation_id, position)
            JOIN read_live.memberships m ON m.conversation_id = k.conversation_id
                AND m.from_position < k.position AND (m.to_position IS NULL OR m.to_position > k.position)
            \(Participant.joins(at: "k.position"))
            ORDER BY m.joined_at, m.user_id
            """
        )
        var participants: [SeenAt: [Participant]] = [:]
        var people: [WireID: UserSummary] = [:]
        for row in found {
            let participant = try Participant(row)
            let key = SeenAt(conversation: try row.decode("conversation_id"), position: try row.decode("position"))
            participants[key, default: []].append(participant)
            people[participant.userId] = UserSummary(
                displayName: participant.displayName,
                photoURL: participant.photoURL,
                erased: participant.erased,
                isBot: participant.isBot
            )
        }
        for index in rows.indices where rows[index].conversation.participantCount <= maximumParticipants {
            let key = SeenAt(conversation: rows[index].id, position: rows[index].toPosition ?? .max)
            let members = participants[key] ?? []
            rows[index].conversation.participants = members
            rows[index].conversation.participantIds = members.map(\.userId)
            // Two statements see two moments; a conversation must agree with itself.
            rows[index].conversation.participantCount = members.count
        }
        return people
    }

    private struct SeenAt: Hashable {
        let conversation: UUID
        let position: Int64
    }

    /// Everyone whom the conversations name, for the `users` beside them.
    static func people(
        namedBy rows: [ConversationRow],
        known: [WireID: UserSummary],
        on connection: PostgresConnection
    ) async throws -> [WireID: UserSummary] {
        let missing = Set(rows.flatMap(\.conversation.named).filter { known[$0] == nil }.map(\.uuid))
        return known.merging(try await UserQuery.summaries(of: missing, on: connection)) { known, _ in known }
    }
}

extension Participant {
    /// Of a membership `m`, as it was at a position, the largest number for now, with its ``joins(at:)``.
    static func columns(at position: SQL) -> SQL {
        """
        m.user_id, m.joined_at, u.display_name, u.photo_url, u.erased,
        CASE WHEN m.changed_position > \(position)
            THEN coalesce(r.role, (\(GroupAsLeft.firstRole)), 'member') ELSE m.role END AS role,
        CASE WHEN m.to_position <= \(position) THEN m.to_position
            WHEN m.changed_position > \(position) THEN coalesce(r.position, m.from_position)
            ELSE coalesce(m.changed_position, m.from_position) END AS revision
        """
    }

    static func joins(at position: SQL) -> SQL {
        """
        LEFT JOIN read_live.users u ON u.user_id = m.user_id
        LEFT JOIN LATERAL (\(GroupAsLeft.role(at: position))) r ON true
        """
    }

    init(_ row: Row) throws {
        self.init(
            userId: WireID(try row.decode("user_id")),
            displayName: try row.decode("display_name"),
            photoURL: try row.decode("photo_url"),
            role: ParticipantRole(rawValue: try row.decode("role")),
            joinedAt: try row.decode("joined_at"),
            revision: try row.decode("revision"),
            erased: try row.erased
        )
    }
}
