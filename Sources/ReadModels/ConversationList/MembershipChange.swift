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
    private var role: Role?
    private var end: End?
    private var spans: [Span] = []

    private struct End {
        let position: Int64
        let seq: Int64
        let at: Date
    }

    private struct Span {
        let fromPosition: Int64
        let fromSeq: Int64
        let joinedAt: Date
        var role: Role
        var end: End?
    }

    mutating func join(as role: Role, headSeq: Int64, _ record: RecordedEvent) {
        spans.append(
            Span(fromPosition: record.position, fromSeq: headSeq, joinedAt: record.recordedAt, role: role)
        )
    }

    mutating func leave(headSeq: Int64, _ record: RecordedEvent) {
        let end = End(position: record.position, seq: headSeq, at: record.recordedAt)
        if let last = spans.indices.last {
            spans[last].end = spans[last].end ?? end
        } else {
            self.end = self.end ?? end
        }
    }

    mutating func changeRole(_ role: Role) {
        if let last = spans.indices.last {
            if spans[last].end == nil { spans[last].role = role }
        } else if end == nil {
            self.role = role
        }
    }

    // MARK: Statements

    /// Ends before beginnings: nobody is a member twice at once, not even inside a transaction.
    static func statements(for changes: [MembershipKey: MembershipChange], in schema: ReadSchema) -> [SQL] {
        var updated: [(MembershipKey, MembershipChange)] = []
        var begun: [(MembershipKey, Span)] = []
        for (key, change) in changes {
            if change.role != nil || change.end != nil { updated.append((key, change)) }
            for span in change.spans { begun.append((key, span)) }
        }
        return [update(updated, in: schema), insert(begun, in: schema)].compactMap { $0 }
    }

    private static func update(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).memberships m
            SET role = coalesce(x.role, m.role), to_position = x.to_position, to_seq = x.to_seq, left_at = x.left_at
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.change.role?.rawValue)),
                \(rows.map(\.change.end?.position)), \(rows.map(\.change.end?.seq)), \(rows.map(\.change.end?.at))
            ) AS x (conversation_id, user_id, role, to_position, to_seq, left_at)
            WHERE m.conversation_id = x.conversation_id AND m.user_id = x.user_id AND m.to_position IS NULL
            """
    }

    private static func insert(_ rows: [(key: MembershipKey, span: Span)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).memberships (
                conversation_id, user_id, from_position, from_seq, joined_at, role, to_position, to_seq, left_at,
                partition)
            SELECT * FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.span.fromPosition)),
                \(rows.map(\.span.fromSeq)), \(rows.map(\.span.joinedAt)), \(rows.map(\.span.role.rawValue)),
                \(rows.map(\.span.end?.position)), \(rows.map(\.span.end?.seq)), \(rows.map(\.span.end?.at)),
                \(rows.map(\.key.partition)))
            """
    }
}
