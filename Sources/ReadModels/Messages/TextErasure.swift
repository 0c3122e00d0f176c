import EventSourcing
import Foundation
import Messaging
import Postgres

/// Takes what an erased person said out of one history.
///
/// Piece by piece, each a statement that reads a bounded part of the history's own index: an index of what everybody said
/// would cost each message, for ever, and an erasure is rare. What is done twice changes nothing.
struct TextErasure {
    /// Messages that one statement passes, whoever sent them.
    static let pieceMessages: Int64 = 5_000

    let conversation: UUID
    let person: UUID
    /// None of the person's messages comes after it.
    let headSeq: Int64

    /// Nil for other events.
    init?(_ event: ProjectedEvent) {
        guard case .conversation(.memberErased(let gone)) = event.fact else { return nil }
        conversation = event.record.stream.id
        person = gone.person
        headSeq = gone.headSeq
    }

    func carryOut(in schema: ReadSchema, on connection: PostgresConnection) async throws {
        let newest = try await connection.query(Self.newest(in: conversation, schema)).first
        guard let newest: Int64 = try newest?.decode("seq") else { return }
        var first: Int64 = 1
        while first <= min(headSeq, newest) {
            for statement in statements(from: first, in: schema) { try await connection.execute(statement) }
            first += Self.pieceMessages
        }
    }

    private static func newest(in conversation: UUID, _ schema: ReadSchema) -> SQL {
        """
        SELECT m.seq FROM \(identifier: schema.name).messages m
        WHERE m.conversation_id = \(conversation)
        ORDER BY m.seq DESC LIMIT 1
        """
    }

    func statements(from first: Int64, in schema: ReadSchema) -> [SQL] {
        let last = min(headSeq, first + Self.pieceMessages - 1)
        let versions: SQL = """
            UPDATE \(identifier: schema.name).message_versions v SET text = NULL
            FROM \(identifier: schema.name).messages m
            WHERE m.conversation_id = \(conversation) AND m.seq BETWEEN \(first) AND \(last)
                AND m.sender_id = \(person) AND m.edited_at IS NOT NULL
                AND v.conversation_id = \(conversation) AND v.seq = m.seq AND v.text IS NOT NULL
            """
        let texts: SQL = """
            UPDATE \(identifier: schema.name).messages m SET text = NULL, attachments = NULL
            WHERE m.conversation_id = \(conversation) AND m.seq BETWEEN \(first) AND \(last)
                AND m.sender_id = \(person) AND m.text IS NOT NULL
            """
        // A word that stands for nothing else says whose messages a chunk has. The indexer may be busy with one that has no
        // words yet: this waits for it.
        let words: SQL = """
            UPDATE \(identifier: schema.name).search_chunks k SET words = NULL, dictionary = NULL
            WHERE k.conversation_id = \(conversation)
                AND k.chunk BETWEEN \((first - 1) / SearchChunk.size) AND \((last - 1) / SearchChunk.size)
                AND k.last_at IS NOT NULL AND (
                    k.words IS NULL OR k.words @@ \(SearchText.query([[SearchMark.sentBy(person)]]))::text::tsquery)
            """
        return [versions, texts, words]
    }
}
