import Foundation
import ParleyWire
import Postgres

/// Reads system messages on a connection, alone or as part of a snapshot.
enum SystemMessageQuery {
    /// Those before and those after a place, the nearest first.
    struct Sides {
        var older: [HistoryItem] = []
        var newer: [HistoryItem] = []
    }

    /// - Parameter plans: one per conversation.
    static func sides(
        of plans: [HistoryPlan],
        atMost most: Int,
        on connection: PostgresConnection
    ) async throws -> [UUID: Sides] {
        var sides: [UUID: Sides] = [:]
        for row in try await connection.query(statement(for: plans, atMost: most)) {
            let item = try HistoryItem(row)
            let conversation = item.message.conversationId.uuid
            if try row.decode("is_older") {
                sides[conversation, default: Sides()].older.append(item)
            } else {
                sides[conversation, default: Sides()].newer.append(item)
            }
        }
        return sides
    }

    static func statement(for plans: [HistoryPlan], atMost most: Int) -> SQL {
        let limits = plans.map { $0.systemMessageLimits(atMost: most) }
        // Whatever lies between, each side has two bounds.
        let olderEnds = plans.map { min($0.split, $0.access.end) }
        let newerStarts = plans.map { max($0.split, $0.access.start) }
        let older: SQL = """
            SELECT s.*, true AS is_older FROM read_live.system_messages s
            WHERE s.conversation_id = k.conversation
                AND (s.after_seq, s.position) >= (k.start_seq, k.start_position)
                AND (s.after_seq, s.position) < (k.older_seq, k.older_position)
            ORDER BY s.after_seq DESC, s.position DESC LIMIT k.older
            """
        let newer: SQL = """
            SELECT s.*, false AS is_older FROM read_live.system_messages s
            WHERE s.conversation_id = k.conversation
                AND (s.after_seq, s.position) >= (k.newer_seq, k.newer_position)
                AND (s.after_seq, s.position) < (k.end_seq, k.end_position)
            ORDER BY s.after_seq, s.position LIMIT k.newer
            """
        return """
            SELECT \(columns), s.is_older
            FROM unnest(
                \(plans.map(\.access.conversation)), \(limits.map { Int64($0.older) }), \(limits.map { Int64($0.newer) }),
                \(plans.map(\.access.start.seq)), \(plans.map(\.access.start.position)),
                \(olderEnds.map(\.seq)), \(olderEnds.map(\.position)),
                \(newerStarts.map(\.seq)), \(newerStarts.map(\.position)),
                \(plans.map(\.access.end.seq)), \(plans.map(\.access.end.position))
            ) AS k (
                conversation, older, newer, start_seq, start_position, older_seq, older_position, newer_seq,
                newer_position, end_seq, end_position)
            CROSS JOIN LATERAL ((\(older)) UNION ALL (\(newer))) s
            ORDER BY s.conversation_id, CASE WHEN s.is_older THEN -s.position ELSE s.position END
            """
    }

    /// These, whoever may see them.
    static func items(
        _ ids: [UUID],
        in conversation: UUID,
        on connection: PostgresConnection
    ) async throws -> [HistoryItem] {
        guard !ids.isEmpty else { return [] }
        return try await connection.query(statement(for: ids, in: conversation)).map(HistoryItem.init)
    }

    static func statement(for ids: [UUID], in conversation: UUID) -> SQL {
        """
        SELECT \(columns) FROM read_live.system_messages s
        WHERE s.message_id = ANY (\(ids)) AND s.conversation_id = \(conversation)
        """
    }

    private static let columns: SQL = """
        s.after_seq, s.position, s.at, s.conversation_id, s.message_id, s.actor_id, s.user_ids, s.kind,
        s.details::text AS details, s.group_name, s.group_icon
        """
}

extension HistoryItem {
    fileprivate init(_ row: Row) throws {
        let id = WireID(try row.decode("message_id"))
        let actor: UUID = try row.decode("actor_id")
        let position: Int64 = try row.decode("position")
        people = try [actor] + row.decode("user_ids", as: [UUID].self)
        key = HistoryKey(try row.decode("after_seq"), position)
        message = Message(
            id: id,
            localId: id,
            conversationId: WireID(try row.decode("conversation_id")),
            seq: nil,
            senderId: WireID(actor),
            kind: .system,
            text: nil,
            data: try SystemMessageDetails(stored: try row.decode("details")).data(
                try row.decode("kind"),
                by: actor,
                to: Array(people.dropFirst()),
                groupName: try row.decode("group_name"),
                groupIcon: try row.decode("group_icon")
            ),
            timestamp: try row.decode("at"),
            revision: position
        )
    }
}
