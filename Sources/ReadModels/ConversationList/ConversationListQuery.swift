import EventStore
import Foundation
import ParleyWire
import Postgres

/// One page of a person's list of conversations.
struct ConversationListQuery {
    let caller: UUID
    let filter: ConversationFilter?
    /// What the name of the group, or of the other person, contains.
    let text: String?
    let cursor: String?
    let limit: Int
    /// About how many bytes the conversations, and the people beside them, may take; the first one is always there.
    let budget: Int

    /// The keys of the page, and of one conversation more where there is one.
    func keys() throws(BadCursor) -> SQL {
        var condition: SQL = """
            m.user_id = \(caller) AND m.to_position IS NULL
                AND (m.cleared_seq IS NULL OR c.head_seq > m.cleared_seq)
            """
        switch filter {
        case .groups?: condition += " AND c.kind = 'group'"
        case .direct?: condition += " AND c.kind = 'direct'"
        case .unread?:
            condition += """
                 AND EXISTS (
                    SELECT FROM read_live.unread_counts u
                    WHERE u.user_id = m.user_id AND u.conversation_id = m.conversation_id
                        AND (\(UnreadQuery.count) > 0 OR u.read_seq <= m.unread_after))
                """
        case .mentions?:
            condition += """
                 AND EXISTS (
                    SELECT FROM read_live.unread_counts u
                    WHERE u.user_id = m.user_id AND u.conversation_id = m.conversation_id
                        AND EXISTS (\(UnreadQuery.mentioning("u.user_id"))))
                """
        case .archived?: condition += " AND \(ConversationQuery.isArchived)"
        case .pinned?: condition += " AND m.pinned_at IS NOT NULL"
        // A filter that is not known finds nothing rather than everything.
        case .some: condition += " AND false"
        case nil: break
        }
        if let text, !text.allSatisfy(\.isWhitespace) { condition += nameContains(text) }
        if let cursor {
            var reader = try PageCursorReader(cursor, .conversations)
            let time = try reader.date()
            condition += " AND (\(order), c.conversation_id) < (\(time), \(try reader.id()))"
            try reader.end()
        }
        return """
            SELECT m.user_id, m.conversation_id, row_number() OVER (
                ORDER BY \(order) DESC, c.conversation_id DESC) AS n
            FROM read_live.memberships m
            JOIN read_live.conversations c ON c.conversation_id = m.conversation_id
            WHERE \(condition)
            ORDER BY \(order) DESC, c.conversation_id DESC
            LIMIT \(limit + 1)
            """
    }

    /// What is pinned keeps its order whatever happens, the latest pin first.
    private var order: SQL { filter == .pinned ? "m.pinned_at" : "c.activity_at" }

    private func nameContains(_ text: String) -> SQL {
        let name = DirectoryName(text.trimmingCharacters(in: .whitespacesAndNewlines)).sortKey
        return """
             AND (strpos(c.search_name, \(name)) > 0 OR c.kind = 'direct' AND EXISTS (
                SELECT FROM read_live.memberships o
                JOIN read_live.users u ON u.user_id = o.user_id
                WHERE o.conversation_id = m.conversation_id AND o.user_id <> m.user_id
                    AND strpos(u.sort_name, \(name)) > 0))
            """
    }

    func page(on connection: PostgresConnection) async throws -> Page {
        var rows = try await ConversationQuery.rows(try keys(), on: connection)
        let found = rows.count
        rows.removeLast(found - min(limit, Self.fitting(rows, within: budget)))
        let people = try await ConversationQuery.addParticipants(to: &rows, on: connection)
        let known = try await ConversationQuery.people(namedBy: rows, known: people, on: connection)
        var room = AnswerRoom(budget, known: known)
        let end = rows.firstIndex { row in
            let weight = row.conversation.weight + (row.draft?.bytes.count ?? 0)
            return !room.take(weight, naming: row.conversation.named)
        }
        if let end { rows.removeLast(rows.count - end) }
        var next: String?
        if rows.count < found {
            next = rows.last.map { last in
                let time = filter == .pinned ? last.conversation.me.pinnedAt : last.activityAt
                return PageCursor(.conversations).appending(time ?? last.activityAt).appending(last.id).text
            }
        }
        return Page(rows: rows, nextCursor: next, users: room.users)
    }

    /// How many of the rows an answer holds at the most, as far as that is known before the people in them are read.
    private static func fitting(_ rows: [ConversationRow], within budget: Int) -> Int {
        var rest = budget
        let end = rows.dropFirst().firstIndex { row in
            let members = row.conversation.participantCount
            rest -= row.conversation.lastMessage?.text?.utf8.count ?? 0
            rest -= row.draft?.bytes.count ?? 0
            if members <= ConversationQuery.maximumParticipants { rest -= 160 * members }
            return rest < 0
        }
        return end ?? rows.count
    }

    struct Page {
        let rows: [ConversationRow]
        let nextCursor: String?
        let users: [WireID: UserSummary]
    }
}
