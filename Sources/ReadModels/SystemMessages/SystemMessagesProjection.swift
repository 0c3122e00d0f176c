package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `system_messages`, one row for each event of which the history of a group tells by itself.
package struct SystemMessagesProjection: Projection {
    package static let name = "system-messages"
    package static let version = 2
    package static let categories: [StreamCategory] = [.conversation]
    package static let tables: [ReadTable] = [.systemMessages]
    /// Which message was the newest.
    package static let reads: Set<String> = [MessagesProjection.name]

    private var rows: [Row] = []
    private var erased: [MembershipKey] = []
    /// The newest message of each conversation, where this batch has one.
    private var heads: [UUID: Int64] = [:]

    /// A class, because a statement is made column by column, and each of them would copy all that a row holds.
    private final class Row: Sendable {
        let record: RecordedEvent
        let message: SystemMessage
        /// Nil where the table of messages has to say it.
        let afterSeq: Int64?

        init(_ message: SystemMessage, of record: RecordedEvent, afterSeq: Int64?) {
            self.message = message
            self.record = record
            self.afterSeq = afterSeq
        }
    }

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        let record = event.record
        guard case .conversation(let fact) = event.fact else { return }
        if let message = SystemMessage(fact, record) {
            rows.append(Row(message, of: record, afterSeq: heads[record.stream.id]))
        }
        switch fact {
        case .messageSent(let sent): heads[record.stream.id] = sent.seq
        case .memberErased(let gone): erased.append(MembershipKey(gone.person, in: record))
        case .started, .participantAdded, .participantRemoved, .roleChanged, .groupChanged, .receiptsAdvanced,
            .viewChanged, .markedUnread, .messageHidden, .permissionsChanged, .inviteCreated, .inviteUsed,
            .invitesEnded,
            .messageEdited, .messageDeleted, .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned,
            .blockChanged, .retentionChanged, .slowModeChanged:
            break
        }
    }

    // MARK: Statements

    package func statements(in schema: ReadSchema) -> [SQL] {
        [insertion(in: schema), erasure(in: schema)].compactMap { $0 }
    }

    /// The messages of this batch are there already: only those from before the event count.
    private func insertion(in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).system_messages (
                after_seq, position, at, partition, conversation_id, message_id, actor_id, user_ids, kind, details,
                group_name, group_icon)
            SELECT
                coalesce(x.after_seq, (
                    SELECT m.seq FROM \(identifier: schema.name).messages m
                    WHERE m.conversation_id = x.conversation_id AND m.position < x.position
                    ORDER BY m.seq DESC LIMIT 1), 0),
                x.position, x.at, x.partition, x.conversation_id, x.message_id, x.actor_id, x.user_ids::uuid[], x.kind,
                x.details::jsonb, x.group_name, x.group_icon
            FROM (
                SELECT
                    unnest(\(rows.map(\.afterSeq))) AS after_seq, unnest(\(rows.map(\.record.position))) AS position,
                    unnest(\(rows.map(\.record.recordedAt))) AS at,
                    unnest(\(rows.map { Int32(clamping: $0.record.partition) })) AS partition,
                    unnest(\(rows.map(\.record.stream.id))) AS conversation_id,
                    unnest(\(rows.map(\.message.id))) AS message_id, unnest(\(rows.map(\.message.actor))) AS actor_id,
                    unnest(\(rows.map { Self.named($0.message) })) AS user_ids,
                    unnest(\(rows.map(\.message.kind.rawValue))) AS kind,
                    unnest(\(rows.map { SystemMessageDetails($0.message).stored })) AS details,
                    unnest(\(rows.map(\.message.settings.name.newValue))) AS group_name,
                    unnest(\(rows.map(\.message.settings.icon.newValue))) AS group_icon
            ) AS x
            """
    }

    /// The text form of an array, since an array of arrays would have to be rectangular.
    private static func named(_ message: SystemMessage) -> String {
        let named = message.people.prefix(SystemMessageDetails.maximumPeople)
        return "{" + named.map(\.uuidString).joined(separator: ",") + "}"
    }

    private func erasure(in schema: ReadSchema) -> SQL? {
        guard !erased.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).system_messages s SET group_name = NULL, group_icon = NULL
            FROM unnest(\(erased.map(\.conversation)), \(erased.map(\.person))) AS x (conversation_id, person)
            WHERE s.conversation_id = x.conversation_id AND s.actor_id = x.person
                AND (s.group_name IS NOT NULL OR s.group_icon IS NOT NULL)
            """
    }
}
