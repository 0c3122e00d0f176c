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
    let hasAttachments: Bool
    let text: String

    private init(_ row: Row) throws {
        conversation = try row.decode("conversation_id")
        seq = try row.decode("seq")
        sender = try row.decode("sender_id")
        sentAt = try row.decode("sent_at")
        mentions = try row.decode("mentions", as: [UUID]?.self) ?? []
        mentionsAll = try row.decode("mentions_all")
        hasAttachments = try row.decode("has_attachments")
        text = try row.decode("text")
    }

    /// What stands beside its words.
    var marks: [String] {
        [SearchMark.sentBy(sender)] + mentions.map { SearchMark.mentions($0) }
            + (mentionsAll ? [SearchMark.mentionsAll] : []) + (hasAttachments ? [SearchMark.hasAttachments] : [])
    }

    /// So many bytes of texts are read at once, and those of one piece more: a page of a search has far less to read, unless
    /// nobody has indexed it yet.
    static let mostBytes: Int64 = 8 * 1_048_576

    /// Those that say something, and said the same when the reader's membership ended, of the first pieces that do not take too much together, whole: at least of one.
    ///
    /// - Parameters:
    ///   - pieces: ranges of which none overlaps another.
    ///   - caller: who looks for them, and is shown neither what has been deleted for this person nor what is about to
    ///     disappear; nil for all.
    /// - Returns: with how many pieces were read.
    static func read(
        _ pieces: [[MessageRange]],
        seenBy caller: UUID? = nil,
        on connection: PostgresConnection
    ) async throws -> (messages: [SearchedMessage], pieces: Int) {
        guard pieces.contains(where: { !$0.isEmpty }) else { return ([], pieces.count) }
        let rows = try await connection.query(statement(for: pieces, seenBy: caller))
        let isAll = try rows.last.map { try $0.decode("bytes", as: Int64.self) < mostBytes } ?? true
        let read = isAll ? pieces.count : try rows.last?.decode("piece", as: Int.self) ?? pieces.count
        return (try rows.map(SearchedMessage.init), read)
    }

    static func statement(for pieces: [[MessageRange]], seenBy caller: UUID?) -> SQL {
        let condition: SQL =
            caller.map { person in
                """
                (m.expires_at IS NULL OR m.expires_at > now()) AND NOT EXISTS (
                    SELECT FROM read_live.hidden_messages h
                    WHERE h.user_id = \(person) AND h.conversation_id = m.conversation_id AND h.seq = m.seq)
                """
            } ?? "true"
        let ranges = pieces.enumerated().flatMap { number, piece in piece.map { (number: number + 1, range: $0) } }
        return """
            SELECT x.* FROM (
                SELECT k.piece, m.conversation_id, m.seq, m.sender_id, m.sent_at, m.mentions, m.mentions_all, m.text,
                    m.attachments IS NOT NULL AS has_attachments,
                    sum(octet_length(m.text)) OVER (ORDER BY k.piece) AS bytes,
                    sum(octet_length(m.text)) OVER (PARTITION BY k.piece) AS own_bytes
                FROM unnest(
                    \(ranges.map(\.number)), \(ranges.map(\.range.conversation)), \(ranges.map(\.range.first)),
                    \(ranges.map(\.range.last)), \(ranges.map(\.range.until))
                ) AS k (piece, conversation_id, first, last, until)
                JOIN read_live.messages m ON m.conversation_id = k.conversation_id AND m.seq BETWEEN k.first AND k.last
                WHERE m.text IS NOT NULL AND \(condition)
                    AND NOT EXISTS (\(EarlierText.of("m", until: "k.until")))
            ) x
            WHERE x.bytes - x.own_bytes < \(mostBytes)
            ORDER BY x.piece
            """
    }
}
