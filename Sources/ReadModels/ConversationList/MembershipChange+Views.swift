import Foundation
import Messaging
import Postgres

extension MembershipChange {
    /// Changes views of memberships that were open before the batch and still are.
    static func updateViews(_ rows: [(key: MembershipKey, view: ViewColumns)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).memberships m
            SET muted_until = CASE WHEN x.sets_muted THEN x.muted_until ELSE m.muted_until END,
                notification_level = CASE WHEN x.sets_level THEN x.level ELSE m.notification_level END,
                archived_seq = CASE WHEN x.sets_archived THEN x.archived_seq ELSE m.archived_seq END,
                pinned_at = CASE WHEN x.sets_pinned THEN x.pinned_at ELSE m.pinned_at END,
                cleared_seq = CASE WHEN x.sets_cleared THEN x.cleared_seq ELSE m.cleared_seq END,
                unread_after = CASE WHEN x.sets_unread THEN x.unread_after ELSE m.unread_after END,
                hidden_seq = CASE WHEN x.sets_hidden AND x.hidden_seq IS NULL THEN NULL
                    ELSE greatest(m.hidden_seq, x.hidden_seq) END,
                hidden_at = CASE WHEN x.sets_hidden AND x.hidden_seq IS NULL THEN NULL
                    WHEN x.hidden_seq > coalesce(m.hidden_seq, 0) THEN x.hidden_at ELSE m.hidden_at END
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)),
                \(rows.map { $0.view.mutedUntil != .unchanged }), \(rows.map(\.view.mutedUntil.newValue)),
                \(rows.map { $0.view.notificationLevel != .unchanged }), \(rows.map(\.view.notificationLevel.newValue)),
                \(rows.map { $0.view.archivedSeq != .unchanged }), \(rows.map(\.view.archivedSeq.newValue)),
                \(rows.map { $0.view.pinnedAt != .unchanged }), \(rows.map(\.view.pinnedAt.newValue)),
                \(rows.map { $0.view.clearedSeq != .unchanged }), \(rows.map(\.view.clearedSeq.newValue)),
                \(rows.map { $0.view.unreadAfter != .unchanged }), \(rows.map(\.view.unreadAfter.newValue)),
                \(rows.map { $0.view.hidden != .unchanged }), \(rows.map(\.view.hidden.newValue?.seq)),
                \(rows.map(\.view.hidden.newValue?.at))
            ) AS x (
                conversation_id, user_id, sets_muted, muted_until, sets_level, level, sets_archived, archived_seq,
                sets_pinned, pinned_at, sets_cleared, cleared_seq, sets_unread, unread_after, sets_hidden, hidden_seq,
                hidden_at)
            WHERE m.conversation_id = x.conversation_id AND m.user_id = x.user_id AND m.to_position IS NULL
            """
    }

    /// Of erased people: it alone outlasts the membership.
    static func forgetHidden(_ keys: [MembershipKey], in schema: ReadSchema) -> SQL? {
        guard !keys.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).memberships m SET hidden_seq = NULL, hidden_at = NULL
            FROM unnest(\(keys.map(\.conversation)), \(keys.map(\.person))) AS x (conversation_id, user_id)
            WHERE m.conversation_id = x.conversation_id AND m.user_id = x.user_id AND m.hidden_seq IS NOT NULL
            """
    }
}
