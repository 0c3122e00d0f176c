import Foundation
import Postgres

/// What one person may search: of each conversation, the messages after `floor`, up to `ceiling`.
struct SearchAccess {
    private(set) var ranges: [UUID: (floor: Int64, ceiling: Int64)] = [:]

    /// - Parameter conversation: nil for all that the person is or was a member of.
    /// - Returns: nil where the person never was a member of that conversation.
    static func read(
        of person: UUID,
        in conversation: UUID?,
        on connection: PostgresConnection
    ) async throws -> SearchAccess? {
        let rows = try await connection.query(statement(for: person, in: conversation))
        guard !rows.isEmpty || conversation == nil else { return nil }
        var access = SearchAccess()
        for row in rows {
            let range: (floor: Int64, ceiling: Int64) = (try row.decode("floor"), try row.decode("ceiling"))
            if range.floor < range.ceiling { access.ranges[try row.decode("conversation_id")] = range }
        }
        return access
    }

    /// The newest membership decides.
    static func statement(for person: UUID, in conversation: UUID?) -> SQL {
        let condition: SQL =
            conversation.map { "x.user_id = \(person) AND x.conversation_id = \($0)" } ?? "x.user_id = \(person)"
        return """
            SELECT m.conversation_id, h.floor, h.ceiling
            FROM (
                SELECT DISTINCT ON (x.conversation_id) x.* FROM read_live.memberships x
                WHERE \(condition)
                ORDER BY x.conversation_id, x.from_position DESC
            ) m
            CROSS JOIN LATERAL (\(NewestVersion.ofConversation("m.conversation_id"))) c
            CROSS JOIN LATERAL (\(ConversationQuery.readable)) h
            """
    }

    /// What may be read of a chunk.
    func range(of chunk: SearchChunk) -> MessageRange? {
        guard let (floor, ceiling) = ranges[chunk.conversation] else { return nil }
        let range = MessageRange(
            conversation: chunk.conversation,
            first: max(chunk.first, floor + 1),
            last: min(chunk.last, ceiling),
            floor: floor
        )
        return range.isEmpty ? nil : range
    }

    /// One message.
    func range(of seq: Int64, in conversation: UUID) -> MessageRange? {
        guard let (floor, ceiling) = ranges[conversation], seq > floor, seq <= ceiling else { return nil }
        return MessageRange(conversation: conversation, first: seq, last: seq, floor: floor)
    }

    /// As a table `a` of a statement.
    var table: SQL {
        let ranges = Array(ranges)
        return """
            unnest(\(ranges.map(\.key)), \(ranges.map(\.value.floor)), \(ranges.map(\.value.ceiling)))
                AS a (conversation_id, floor, ceiling)
            """
    }
}
