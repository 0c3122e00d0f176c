import Foundation
import Postgres

/// What search looks at of a message.
struct SearchedMessage {
    let conversation: UUID
    let seq: Int64
    let sender: UUID
    let sentAt: Date
    let mentions: [UUID]
    let mentionsAll: Bool
    let text: String

    private init(_ row: Row) throws {
        conversation = try row.decode("conversation_id")
        seq = try row.decode("seq")
        sender = try row.decode("sender_id")
        sentAt = try row.decode("sent_at")
        mentions = try row.decode("mentions", as: [UUID]?.self) ?? []
        mentionsAll = try row.decode("mentions_all")
        text = try row.decode("text")
    }

    /// What stands beside its words.
    var marks: [String] {
        [SearchMark.sentBy(sender)] + mentions.map { SearchMark.mentions($0) }
            + (mentionsAll ? [SearchMark.mentionsAll] : [])
    }

    /// Those that say something, of ranges of which none overlaps another.
    ///
    /// - Parameter caller: who looks for them, and is shown neither what has been deleted for this person nor what is
    ///   about to disappear; nil for all.
    static func read(
        _ ranges: [MessageRange],
        seenBy caller: UUID? = nil,
        on connection: PostgresConnection
    ) async throws -> [SearchedMessage] {
        guard !ranges.isEmpty else { return [] }
        return try await connection.query(statement(for: ranges, seenBy: caller)).map(SearchedMessage.init)
    }

    static func statement(for ranges: [MessageRange], seenBy caller: UUID?) -> SQL {
        let condition: SQL =
            caller.map { person in
                """
                (m.expires_at IS NULL OR m.expires_at > now()) AND NOT EXISTS (
                    SELECT FROM read_live.hidden_messages h
                    WHERE h.user_id = \(person) AND h.conversation_id = m.conversation_id AND h.seq = m.seq)
                """
            } ?? "true"
        return """
            SELECT m.conversation_id, m.seq, m.sender_id, m.sent_at, m.mentions, m.mentions_all, m.text
            FROM unnest(
                \(ranges.map(\.conversation)), \(ranges.map(\.first)), \(ranges.map(\.last))
            ) AS k (conversation_id, first, last)
            JOIN read_live.messages m ON m.conversation_id = k.conversation_id AND m.seq BETWEEN k.first AND k.last
            WHERE m.text IS NOT NULL AND \(condition)
            """
    }
}
