package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `messages`, one row per message, without a text once its sender is erased; and `message_versions`, what messages
/// said before they were edited.
package struct MessagesProjection: Projection {
    package static let name = "messages"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation]
    package static let tables: [ReadTable] = [.messages, .messageVersions]

    private var rows: [Row] = []
    private var changes: [MessageKey: MessageChange] = [:]
    /// Who is erased in this batch, and up to where; ``TextErasure`` sees to what the table holds from before.
    private var erased: [MembershipKey: Int64] = [:]

    /// A class, because a statement is made column by column, and each of them would copy all that an event holds.
    private final class Row: Sendable {
        let event: ProjectedEvent
        let sent: MessageSent

        init(event: ProjectedEvent, sent: MessageSent) {
            self.event = event
            self.sent = sent
        }

        /// Whether it has nothing but a text.
        var isPlain: Bool {
            sent.replyTo == nil && sent.mentions.isEmpty && !sent.mentionsAll && sent.hops == 0
                && sent.attachments.isEmpty && sent.expiry(sentAt: event.record.recordedAt) == nil
        }
    }

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        switch event.fact {
        case .conversation(.messageSent(let sent)):
            rows.append(Row(event: event, sent: sent))
        case .conversation(.memberErased(let gone)):
            erased[MembershipKey(gone.person, in: event.record)] = gone.headSeq
        case .conversation(.messageEdited(let edited)):
            change(edited.seq, event.record) { $0.edit(edited.text, event.record) }
        case .conversation(.messageDeleted(let deleted)):
            change(deleted.seq, event.record) { $0.delete(event.record) }
        case .conversation(.reactionAdded(let reaction)), .conversation(.reactionRemoved(let reaction)):
            change(reaction.seq, event.record) { $0.react(reaction, event.record) }
        case .conversation(.messagePinned(let pinned)):
            change(pinned.seq, event.record) { $0.pin(event.record) }
        case .conversation(.messageUnpinned(let unpinned)):
            change(unpinned.seq, event.record) { $0.unpin(event.record) }
        case .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.receiptsAdvanced),
            .conversation(.viewChanged), .conversation(.markedUnread), .conversation(.messageHidden),
            .conversation(.permissionsChanged), .conversation(.inviteCreated), .conversation(.inviteUsed),
            .conversation(.invitesEnded), .conversation(.blockChanged), .conversation(.retentionChanged),
            .conversation(.slowModeChanged),
            .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    private mutating func change(_ seq: Int64, _ record: RecordedEvent, _ body: (inout MessageChange) -> Void) {
        body(&changes[MessageKey(seq, in: record), default: MessageChange()])
    }

    private static let plainColumns: SQL = """
        conversation_id, seq, message_id, sender_id, kind, text, sent_at, client_timestamp, recipient_count, position,
        partition
        """

    /// Most messages are plain: the others are not worth a second COPY.
    package mutating func takeRows(for schema: ReadSchema) -> CopyRows? {
        let plain = rows.filter(\.isPlain)
        guard !plain.isEmpty else { return nil }
        var copy = CopyRows(into: "\(identifier: schema.name).messages (\(Self.plainColumns))", columns: 11)
        for row in plain {
            copy.beginRow()
            copy.append(row.event.record.stream.id)
            copy.append(row.sent.seq)
            copy.append(row.sent.messageID)
            copy.append(row.sent.sender)
            copy.append("text")
            copy.append(text(of: row))
            copy.append(row.event.record.recordedAt)
            copy.append(row.sent.clientTimestamp)
            copy.append(Int32(clamping: row.sent.recipientCount))
            copy.append(row.event.record.position)
            copy.append(Int32(clamping: row.event.record.partition))
        }
        rows.removeAll(where: \.isPlain)
        return copy
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        insertions(in: schema) + MessageChange.statements(for: changes, erased: erased, in: schema)
    }

    /// Most messages are plain, and half as many columns of theirs are half of the work that PostgreSQL has with them.
    private func insertions(in schema: ReadSchema) -> [SQL] {
        let (plain, others) = (rows.filter(\.isPlain), rows.filter { !$0.isPlain })
        return (plain.isEmpty ? [] : [insertion(ofPlain: plain, in: schema)])
            + (others.isEmpty ? [] : [insertion(of: others, in: schema)])
    }

    private func insertion(ofPlain rows: [Row], in schema: ReadSchema) -> SQL {
        """
        INSERT INTO \(identifier: schema.name).messages (\(Self.plainColumns))
        SELECT
            unnest(\(rows.map(\.event.record.stream.id))),
            unnest(\(rows.map(\.sent.seq))), unnest(\(rows.map(\.sent.messageID))),
            unnest(\(rows.map(\.sent.sender))), 'text', unnest(\(rows.map(text(of:)))),
            unnest(\(rows.map(\.event.record.recordedAt))),
            unnest(\(rows.map(\.sent.clientTimestamp))),
            unnest(\(rows.map { Int32(clamping: $0.sent.recipientCount) })),
            unnest(\(rows.map(\.event.record.position))),
            unnest(\(rows.map { Int32(clamping: $0.event.record.partition) }))
        """
    }

    private func insertion(of rows: [Row], in schema: ReadSchema) -> SQL {
        """
        INSERT INTO \(identifier: schema.name).messages (
            conversation_id, seq, message_id, sender_id, kind, text, reply_to_seq, reply_to_id, mentions, sent_at,
            client_timestamp, recipient_count, position, forward_hops, expires_at, mentions_all, attachments, partition)
        SELECT
            x.conversation_id, x.seq, x.message_id, x.sender_id, 'text', x.text, x.reply_to_seq, x.reply_to_id,
            x.mentions::uuid[], x.sent_at, x.client_timestamp, x.recipient_count, x.position,
            x.forward_hops, x.expires_at, x.mentions_all, x.attachments, x.partition
        FROM (
            SELECT
                unnest(\(rows.map(\.event.record.stream.id))) AS conversation_id,
                unnest(\(rows.map(\.sent.seq))) AS seq, unnest(\(rows.map(\.sent.messageID))) AS message_id,
                unnest(\(rows.map(\.sent.sender))) AS sender_id, unnest(\(rows.map(text(of:)))) AS text,
                unnest(\(rows.map(\.sent.replyTo?.seq))) AS reply_to_seq,
                unnest(\(rows.map(\.sent.replyTo?.id))) AS reply_to_id,
                unnest(\(rows.map { Self.array($0.sent.mentions) })) AS mentions,
                unnest(\(rows.map(\.event.record.recordedAt))) AS sent_at,
                unnest(\(rows.map(\.sent.clientTimestamp))) AS client_timestamp,
                unnest(\(rows.map { Int32(clamping: $0.sent.recipientCount) })) AS recipient_count,
                unnest(\(rows.map(\.event.record.position))) AS position,
                unnest(\(rows.map { $0.sent.hops == 0 ? nil : Int32(clamping: $0.sent.hops) })) AS forward_hops,
                unnest(\(rows.map { $0.sent.expiry(sentAt: $0.event.record.recordedAt) })) AS expires_at,
                unnest(\(rows.map(\.sent.mentionsAll))) AS mentions_all,
                unnest(\(rows.map(files(of:)))) AS attachments,
                unnest(\(rows.map { Int32(clamping: $0.event.record.partition) })) AS partition
        ) AS x
        """
    }

    private func text(of row: Row) -> String? {
        isErased(row) ? nil : row.sent.text
    }

    private func files(of row: Row) -> String? {
        row.sent.attachments.isEmpty || isErased(row) ? nil : MessageFiles.encode(row.sent.attachments)
    }

    private func isErased(_ row: Row) -> Bool {
        guard !erased.isEmpty else { return false }
        let sender = MembershipKey(row.sent.sender, in: row.event.record)
        return erased[sender].map { row.sent.seq <= $0 } == true
    }

    /// The text form of an array, since an array of arrays would have to be rectangular; nil for an empty one.
    private static func array(_ ids: [UUID]) -> String? {
        ids.isEmpty ? nil : "{" + ids.map(\.uuidString).joined(separator: ",") + "}"
    }
}
