package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// One conversation as it is now, for who is no member and sees all of it; nil where there is none.
    ///
    /// What a member's own view of it would say is empty, and its revision is the conversation's alone: so it is the same
    /// whoever has come, changed or left.
    package func conversation(forOnlookers id: UUID) async throws -> Conversation? {
        try await pool.withConnection { connection in
            var rows = try await connection.query(Self.onlookersRow(of: id)).map(ConversationRow.init)
            _ = try await ConversationQuery.addParticipants(to: &rows, on: connection)
            return rows.first?.conversation
        }
    }

    /// The columns of ``ConversationRow``.
    private static func onlookersRow(of id: UUID) -> SQL {
        """
        SELECT c.created_by AS caller, c.conversation_id, c.kind, c.group_name, c.group_icon, c.join_policy,
            c.history_visibility, c.send_by, c.add_members_by, c.change_info_by, c.pin_by, c.retention, c.slow_mode,
            c.created_by, c.created_at, c.activity_at, c.updated_at, c.revision, c.member_count,
            0::bigint AS history_floor, c.head_seq AS history_ceiling, 0::bigint AS first_position,
            'member' AS role, NULL::bigint AS to_position, NULL::timestamptz AS muted_until,
            NULL::text AS notification_level, NULL::timestamptz AS pinned_at, false AS archived, false AS cleared,
            false AS marked_unread, NULL::uuid AS draft_key, NULL::timestamptz AS draft_at,
            0::bigint AS delivered_seq, 0::bigint AS read_seq, 0::bigint AS unread, 0::bigint AS mention_count,
            NULL::bigint AS first_unread, NULL::uuid AS last_id
        FROM (\(NewestVersion.ofConversation("\(id)::uuid"))) c
        """
    }
}
