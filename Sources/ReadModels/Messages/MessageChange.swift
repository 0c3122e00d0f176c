import EventSourcing
import Foundation
import Messaging
import Postgres

/// What a batch changes of one row of `messages`, whether the table has it from before or since this batch.
struct MessageChange {
    private var edits: [Edit] = []
    private var deletion: Deletion?
    private var hasReactions: Bool?
    private(set) var pin: PinChange?
    private var position: Int64 = 0

    private struct Edit {
        let text: String?
        let author: UUID?
        let at: Date
        let position: Int64
    }

    private struct Deletion {
        let by: UUID?
        let at: Date
    }

    mutating func edit(_ text: String?, _ record: RecordedEvent) {
        edits.append(Edit(text: text, author: record.actor, at: record.recordedAt, position: record.position))
        position = record.position
    }

    /// Nothing is left of what the message said, nor of reactions to it.
    mutating func delete(_ record: RecordedEvent) {
        edits = []
        deletion = Deletion(by: record.actor, at: record.recordedAt)
        hasReactions = false
        pin = nil
        position = record.position
    }

    mutating func react(_ reaction: ReactionChanged, _ record: RecordedEvent) {
        hasReactions = !reaction.counts.isEmpty
        position = record.position
    }

    mutating func pin(_ record: RecordedEvent) {
        pin = PinChange(at: record.recordedAt, by: record.actor, position: record.position)
        position = record.position
    }

    mutating func unpin(_ record: RecordedEvent) {
        pin = PinChange()
        position = record.position
    }

    // MARK: Statements

    /// - Parameter erased: who is erased in this batch, whose edits read like those of one who was erased before.
    static func statements(
        for changes: [MessageKey: MessageChange],
        erased: [MembershipKey: Int64],
        in schema: ReadSchema
    ) -> [SQL] {
        guard !changes.isEmpty else { return [] }
        var rows: [Changed] = []
        for (key, change) in changes {
            var change = change
            change.edits = change.edits.map { edit in
                let isErased = edit.author.map { erased[MembershipKey($0, in: key)] != nil } == true
                return isErased ? Edit(text: nil, author: edit.author, at: edit.at, position: edit.position) : edit
            }
            rows.append((key, change))
        }
        let deleted = rows.filter { $0.change.deletion != nil }
        let edited = rows.filter { !$0.change.edits.isEmpty }
        let touched = rows.filter { $0.change.deletion == nil && $0.change.edits.isEmpty }
        return [
            forgetVersions(deleted, in: schema), keepFirstVersion(edited, in: schema),
            keepVersions(edited, in: schema), delete(deleted, in: schema), edit(edited, in: schema),
            touch(touched, in: schema), PinChange.statement(for: rows.map { ($0.key, $0.change.pin) }, in: schema),
        ].compactMap { $0 }
    }

    private typealias Changed = (key: MessageKey, change: MessageChange)

    private static func forgetVersions(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            DELETE FROM \(identifier: schema.name).message_versions v
            USING unnest(\(rows.map(\.key.conversation)), \(rows.map(\.key.seq))) AS x (conversation_id, seq)
            WHERE v.conversation_id = x.conversation_id AND v.seq = x.seq
            """
    }

    /// What the table says before the first edit of this batch.
    private static func keepFirstVersion(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).message_versions (
                seq, replaced_position, at, partition, conversation_id, text)
            SELECT m.seq, x.position, coalesce(m.edited_at, m.sent_at), m.partition, m.conversation_id, m.text
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.seq)), \(rows.map { $0.change.edits[0].position })
            ) AS x (conversation_id, seq, position)
            JOIN \(identifier: schema.name).messages m ON m.conversation_id = x.conversation_id AND m.seq = x.seq
            """
    }

    /// What was edited again in this batch.
    private static func keepVersions(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        let replaced = rows.flatMap { row in
            zip(row.change.edits, row.change.edits.dropFirst()).map { (key: row.key, edit: $0, by: $1) }
        }
        guard !replaced.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).message_versions (
                seq, replaced_position, at, partition, conversation_id, text)
            SELECT
                unnest(\(replaced.map(\.key.seq))), unnest(\(replaced.map(\.by.position))),
                unnest(\(replaced.map(\.edit.at))), unnest(\(replaced.map(\.key.partition))),
                unnest(\(replaced.map(\.key.conversation))), unnest(\(replaced.map(\.edit.text)))
            """
    }

    private static func edit(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).messages m
            SET text = x.text, edited_at = x.edited_at, changed_position = x.position,
                has_reactions = coalesce(x.has_reactions, m.has_reactions)
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.seq)), \(rows.map { $0.change.edits.last?.text }),
                \(rows.map { $0.change.edits.last?.at }), \(rows.map(\.change.position)),
                \(rows.map(\.change.hasReactions))
            ) AS x (conversation_id, seq, text, edited_at, position, has_reactions)
            WHERE m.conversation_id = x.conversation_id AND m.seq = x.seq
            """
    }

    private static func delete(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).messages m
            SET text = NULL, attachments = NULL, mentions = NULL, mentions_all = false, reply_to_id = NULL, reply_to_seq = NULL,
                edited_at = NULL, forward_hops = NULL, expires_at = NULL, has_reactions = false,
                pinned_at = NULL, pinned_by = NULL, pinned_position = NULL,
                deleted_at = x.deleted_at, deleted_by = x.deleted_by, changed_position = x.position
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.seq)), \(rows.map(\.change.deletion?.at)),
                \(rows.map(\.change.deletion?.by)), \(rows.map(\.change.position))
            ) AS x (conversation_id, seq, deleted_at, deleted_by, position)
            WHERE m.conversation_id = x.conversation_id AND m.seq = x.seq
            """
    }

    private static func touch(_ rows: [Changed], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).messages m
            SET changed_position = x.position, has_reactions = coalesce(x.has_reactions, m.has_reactions)
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.seq)), \(rows.map(\.change.position)),
                \(rows.map(\.change.hasReactions))
            ) AS x (conversation_id, seq, position, has_reactions)
            WHERE m.conversation_id = x.conversation_id AND m.seq = x.seq
            """
    }
}
