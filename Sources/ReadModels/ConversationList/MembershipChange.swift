import EventSourcing
import Foundation
import Messaging
import Postgres

/// A person in a conversation, whatever the span.
struct MembershipKey: Hashable {
    let conversation: UUID
    let person: UUID
    /// Where the log has the conversation, and a column of every row.
    let partition: Int32

    /// - Parameter record: an event of the conversation.
    init(_ person: UUID, in record: RecordedEvent) {
        conversation = record.stream.id
        self.person = person
        partition = Int32(clamping: record.partition)
    }

    init(_ person: UUID, in message: MessageKey) {
        conversation = message.conversation
        self.person = person
        partition = message.partition
    }
}

/// What a batch changes of one person's rows of `memberships` in one conversation: the span that was open before it,
/// and the spans that begin in it.
struct MembershipChange {
    private var role: Changed?
    private var end: End?
    private var spans: [Span] = []
    /// Of the span that was open before.
    private var view = ViewColumns()
    private var isErased = false

    private struct End {
        let position: Int64
        let seq: Int64
        let at: Date
    }

    private struct Changed {
        let role: Role
        let position: Int64
    }

    private struct Span {
        let fromPosition: Int64
        let fromSeq: Int64
        let joinedAt: Date
        var role: Role
        /// Where the log has the newest change of the role; nil where it is the first one.
        var changedPosition: Int64?
        var end: End?
        var view = ViewColumns()
    }

    mutating func join(as role: Role, headSeq: Int64, _ record: RecordedEvent) {
        var span = Span(fromPosition: record.position, fromSeq: headSeq, joinedAt: record.recordedAt, role: role)
        if let last = spans.last { span.view = last.view.ofFormerMember }
        spans.append(span)
    }

    mutating func leave(headSeq: Int64, _ record: RecordedEvent) {
        let end = End(position: record.position, seq: headSeq, at: record.recordedAt)
        if let last = spans.indices.last {
            spans[last].end = spans[last].end ?? end
            spans[last].view = spans[last].view.ofFormerMember
        } else {
            self.end = self.end ?? end
            view = view.ofFormerMember
        }
    }

    mutating func changeRole(_ role: Role, _ record: RecordedEvent) {
        if let last = spans.indices.last {
            guard spans[last].end == nil else { return }
            spans[last].role = role
            spans[last].changedPosition = record.position
        } else if end == nil {
            self.role = Changed(role: role, position: record.position)
        }
    }

    /// A view ends with the membership.
    mutating func changeView(_ change: (inout ViewColumns) -> Void) {
        if let last = spans.indices.last {
            if spans[last].end == nil { change(&spans[last].view) }
        } else if end == nil {
            change(&view)
        }
    }

    /// Who is erased stays in a direct conversation, and was a member of groups.
    mutating func erase() {
        isErased = true
        changeView { $0 = .cleared }
    }

    // MARK: Statements

    /// Ends before beginnings: nobody is a member twice at once, not even inside a transaction.
    static func statements(for changes: [MembershipKey: MembershipChange], in schema: ReadSchema) -> [SQL] {
        var updated: [(MembershipKey, MembershipChange)] = []
        var begun: [(MembershipKey, Span)] = []
        var views: [(MembershipKey, ViewColumns)] = []
        for (key, change) in changes {
            if change.role != nil || change.end != nil { updated.append((key, change)) }
            if change.view.isChanged { views.append((key, change.view)) }
            for span in change.spans { begun.append((key, span)) }
        }
        return [
            updateViews(views, in: schema), update(updated, in: schema), insert(begun, in: schema),
            forgetHidden(changes.filter(\.value.isErased).map(\.key), in: schema),
        ].compactMap { $0 }
    }

    private static func update(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).memberships m
            SET role = coalesce(x.role, m.role),
                changed_position = coalesce(x.changed_position, m.changed_position), to_position = x.to_position, to_seq = x.to_seq, left_at = x.left_at,
                muted_until = CASE WHEN x.to_position IS NULL THEN m.muted_until END,
                notification_level = CASE WHEN x.to_position IS NULL THEN m.notification_level END,
                archived_seq = CASE WHEN x.to_position IS NULL THEN m.archived_seq END,
                pinned_at = CASE WHEN x.to_position IS NULL THEN m.pinned_at END,
                cleared_seq = CASE WHEN x.to_position IS NULL THEN m.cleared_seq END,
                unread_after = CASE WHEN x.to_position IS NULL THEN m.unread_after END
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.change.role?.role.rawValue)),
                \(rows.map(\.change.end?.position)), \(rows.map(\.change.end?.seq)), \(rows.map(\.change.end?.at)),
                \(rows.map(\.change.role?.position))
            ) AS x (conversation_id, user_id, role, to_position, to_seq, left_at, changed_position)
            WHERE m.conversation_id = x.conversation_id AND m.user_id = x.user_id AND m.to_position IS NULL
            """
    }

    /// What was hidden from who comes back stays hidden.
    private static func insert(_ rows: [(key: MembershipKey, span: Span)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).memberships (
                conversation_id, user_id, from_position, from_seq, joined_at, role, to_position, to_seq, left_at,
                partition, muted_until, notification_level, archived_seq, pinned_at, cleared_seq, unread_after,
                hidden_seq, hidden_at, changed_position)
            SELECT x.conversation_id, x.user_id, x.from_position, x.from_seq, x.joined_at, x.role, x.to_position,
                x.to_seq, x.left_at, x.partition, x.muted_until, x.notification_level, x.archived_seq, x.pinned_at,
                x.cleared_seq, x.unread_after, greatest(x.hidden_seq, p.hidden_seq),
                CASE WHEN p.hidden_seq > coalesce(x.hidden_seq, 0) THEN p.hidden_at ELSE x.hidden_at END,
                x.changed_position
            FROM (
                SELECT
                    unnest(\(rows.map(\.key.conversation))) AS conversation_id,
                    unnest(\(rows.map(\.key.person))) AS user_id,
                    unnest(\(rows.map(\.span.fromPosition))) AS from_position,
                    unnest(\(rows.map(\.span.fromSeq))) AS from_seq,
                    unnest(\(rows.map(\.span.joinedAt))) AS joined_at,
                    unnest(\(rows.map(\.span.role.rawValue))) AS role,
                    unnest(\(rows.map(\.span.end?.position))) AS to_position,
                    unnest(\(rows.map(\.span.end?.seq))) AS to_seq, unnest(\(rows.map(\.span.end?.at))) AS left_at,
                    unnest(\(rows.map(\.key.partition))) AS partition,
                    unnest(\(rows.map(\.span.view.mutedUntil.newValue))) AS muted_until,
                    unnest(\(rows.map(\.span.view.notificationLevel.newValue))) AS notification_level,
                    unnest(\(rows.map(\.span.view.archivedSeq.newValue))) AS archived_seq,
                    unnest(\(rows.map(\.span.view.pinnedAt.newValue))) AS pinned_at,
                    unnest(\(rows.map(\.span.view.clearedSeq.newValue))) AS cleared_seq,
                    unnest(\(rows.map(\.span.view.unreadAfter.newValue))) AS unread_after,
                    unnest(\(rows.map(\.span.view.hidden.newValue?.seq))) AS hidden_seq,
                    unnest(\(rows.map(\.span.view.hidden.newValue?.at))) AS hidden_at,
                    unnest(\(rows.map(\.span.changedPosition))) AS changed_position
            ) AS x
            LEFT JOIN LATERAL (
                SELECT o.hidden_seq, o.hidden_at FROM \(identifier: schema.name).memberships o
                WHERE o.conversation_id = x.conversation_id AND o.user_id = x.user_id
                ORDER BY o.from_position DESC LIMIT 1) p ON true
            """
    }
}
