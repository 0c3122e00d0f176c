import Foundation
import Postgres

/// The words of the newest messages that a person may read, among which others are found that are like the words of a
/// search.
struct SearchVocabulary {
    /// As many chunks are looked at, of all conversations together: about 10,000 messages.
    private static let mostChunks = 300
    /// Of one conversation as many as all of them together, unless there are many.
    private static let mostRows = 6_000
    /// As many messages are read of those whose words nobody has got to yet.
    private static let mostUnread: Int64 = 4_096
    /// As many lexemes are compared with each word; 10,000 messages of real groups have 8,470.
    private static let mostLexemes = 50_000
    /// As many lexemes are taken for one word.
    private static let mostSimilar = 64

    /// Adds the lexemes to each term that have it in them, and where it does not occur itself, those that are spelled much
    /// like it.
    static func extend(
        _ terms: [SearchTerm],
        for caller: UUID,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> [SearchTerm] {
        var vocabulary = SearchVocabulary(terms)
        var unread: [[MessageRange]] = []
        var messages: Int64 = 0
        for row in try await connection.query(newestChunks(of: access)) {
            let chunk = try SearchChunk(row)
            guard let range = access.range(of: chunk) else { continue }
            if let words = try row.decode("words", as: TextSearchVector?.self) {
                try words.forEachUTF8 { lexeme, positions in
                    // Words of messages that the person may not read are none of them: where they occur says something, too.
                    vocabulary.take(lexeme) { positions.contains { chunk.has($0, in: range) } }
                }
            } else if messages < mostUnread {
                unread.append([range])
                messages += range.last - range.first + 1
            }
        }
        let texts = try await SearchedMessage.read(unread, seenBy: caller, on: connection).messages.map(\.text)
        for lexeme in try await language.lexemes(of: texts, on: connection).all(in: texts) {
            Array(lexeme.utf8).withUnsafeBytes { vocabulary.take($0) { true } }
        }
        return vocabulary.extendedTerms
    }

    private var seen: Set<UInt64> = []
    private var likenesses: [Likeness]

    private struct Likeness {
        let term: SearchTerm
        let likeness: SearchLikeness
        var isKnown = false
        var containing: Set<String> = []
        var spelledLike: Set<String> = []
    }

    private init(_ terms: [SearchTerm]) {
        likenesses = terms.map { Likeness(term: $0, likeness: SearchLikeness($0)) }
    }

    /// - Parameter isReadable: whether it stands where the person may read it.
    private mutating func take(_ lexeme: UnsafeRawBufferPointer, isReadable: () -> Bool) {
        guard seen.count < Self.mostLexemes, !SearchMark.isMark(lexeme) else { return }
        // Two of one hash in so few are as good as impossible, and the second would be missing among the similar ones.
        let hash = SearchedLexemes.hash(lexeme)
        guard !seen.contains(hash), isReadable() else { return }
        seen.insert(hash)
        for place in likenesses.indices {
            let likeness = likenesses[place].likeness
            if likeness.isExact(lexeme) {
                likenesses[place].isKnown = true
            } else if likeness.isContained(in: lexeme) {
                likenesses[place].containing.insert(String(decoding: lexeme, as: UTF8.self))
            } else if !likenesses[place].isKnown, likeness.isSpelled(like: lexeme) {
                likenesses[place].spelledLike.insert(String(decoding: lexeme, as: UTF8.self))
            }
        }
    }

    private var extendedTerms: [SearchTerm] {
        likenesses.map { likeness in
            var term = likeness.term
            let similar = likeness.isKnown ? likeness.containing : likeness.containing.union(likeness.spelledLike)
            // The nearest in length, and always the same ones.
            term.similar = Set(similar.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.prefix(Self.mostSimilar))
            return term
        }
    }

    static func newestChunks(of access: SearchAccess) -> SQL {
        let share = min(mostChunks, max(1, mostRows / max(1, access.histories.count)))
        return """
            WITH newest AS (
                SELECT k.conversation_id, k.chunk, k.first_at, k.words
                FROM \(access.table)
                CROSS JOIN LATERAL (
                    SELECT x.conversation_id, x.chunk, x.words, x.first_at FROM read_live.search_chunks x
                    WHERE x.conversation_id = a.conversation_id AND (x.chunk + 1) * \(SearchChunk.size) > a.floor
                        AND x.chunk <= (a.ceiling - 1) / \(SearchChunk.size)
                    ORDER BY x.chunk DESC LIMIT \(share)
                ) k
                ORDER BY k.first_at DESC LIMIT \(mostChunks)
            )
            SELECT f.conversation_id, f.chunk, f.words
            FROM (SELECT n.*, \(SearchChunk.bytesUpToHere("n")) AS bytes FROM newest n) f
            WHERE f.bytes - coalesce(pg_column_size(f.words), 0) < \(SearchBlock.mostWordBytes)
            ORDER BY f.first_at DESC
            """
    }
}
