package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of the messages that are pinned in a conversation, the newest pin first, with everyone whom they name; those
    /// that the caller may see.
    ///
    /// - Throws: ``BadCursor``.
    package func pins(
        of conversation: UUID,
        for caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<Message>? {
        let limit = Self.clamped(limit)
        var before = Int64.max
        if let cursor {
            var reader = try PageCursorReader(cursor, .pins)
            before = try reader.number()
            try reader.end()
        }
        return try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection) else {
                return nil
            }
            let rows = try await connection.query(Self.pins(in: access, for: caller, before: before, limit: limit + 1))
            var items: [Message] = []
            var room = AnswerRoom(answerBytes)
            var last: Int64?
            for row in rows.prefix(limit) {
                var reader = MessageReader(caller: caller, budget: answerBytes)
                try await reader.read([access.range(of: try row.decode("seq"))], on: connection)
                let read = reader.messages[conversation] ?? []
                try await room.learn(reader.people, on: connection)
                guard room.take(read.reduce(0) { $0 + $1.weight }, naming: reader.people) else { break }
                items += read
                last = try row.decode("pinned_position")
            }
            let hasMore = items.count < rows.count
            return ListPage(
                items: items,
                nextCursor: hasMore ? last.map { PageCursor(.pins).appending($0).text } : nil,
                users: room.users
            )
        }
    }

    static func pins(in access: HistoryAccess, for caller: UUID, before position: Int64, limit: Int) -> SQL {
        // All pins first, which are few: by `seq`, the planner would rather read the history.
        """
        WITH pins AS MATERIALIZED (
            SELECT m.seq, m.pinned_position FROM read_live.messages m
            WHERE m.conversation_id = \(access.conversation) AND m.pinned_position IS NOT NULL
                AND m.pinned_position < \(position) AND m.pinned_position <= \(access.until)
        )
        SELECT p.seq, p.pinned_position FROM pins p
        WHERE p.seq > \(access.floor) AND p.seq <= \(access.ceiling) AND NOT EXISTS (
            SELECT FROM read_live.hidden_messages h
            WHERE h.user_id = \(caller) AND h.conversation_id = \(access.conversation) AND h.seq = p.seq)
        ORDER BY p.pinned_position DESC LIMIT \(limit)
        """
    }
}
