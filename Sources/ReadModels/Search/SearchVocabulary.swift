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
    /// As many lexemes are taken for one word.
    private static let mostSimilar = 64
    /// The share of its trigrams that a lexeme must have in common with a word to be compared any further: a swap in a word
    /// of four letters leaves one of five.
    private static let leastSimilarity = "0.2"

    /// Adds the lexemes to each term that have it in them, and where it does not occur itself, those that are spelled much
    /// like it.
    static func extend(
        _ terms: [SearchTerm],
        for caller: UUID,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> [SearchTerm] {
        let chunks = try await connection.query(newestChunks(of: access))
        var indexed: [(chunk: SearchChunk, range: MessageRange)] = []
        var unread: [MessageRange] = []
        var messages: Int64 = 0
        for row in chunks {
            let chunk = try SearchChunk(row)
            guard let range = access.range(of: chunk) else { continue }
            if try row.decode("indexed") {
                indexed.append((chunk, range))
            } else if messages < mostUnread {
                unread.append(range)
                messages += range.last - range.first + 1
            }
        }
        let texts = try await SearchedMessage.read(unread, seenBy: caller, on: connection).map(\.text)
        let lexemes = try await language.lexemes(of: texts, on: connection).all(in: texts)
        let found = try await connection.query(lexemesLike(terms, in: indexed))
        var candidates = [Set<String>](repeating: lexemes, count: terms.count)
        for row in found {
            let index: Int64 = try row.decode("n")
            candidates[Int(index) - 1].insert(try row.decode("lexeme"))
        }
        return zip(terms, candidates).map { extend($0, by: $1) }
    }

    private static func extend(_ term: SearchTerm, by lexemes: Set<String>) -> SearchTerm {
        var term = term
        let isKnown = !term.exact.isDisjoint(with: lexemes)
        let similar = lexemes.filter { lexeme in
            !term.exact.contains(lexeme)
                && (term.isContained(in: lexeme) || !isKnown && term.isSpelled(like: lexeme))
        }
        // The nearest in length, and always the same ones.
        term.similar = Set(similar.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.prefix(mostSimilar))
        return term
    }

    static func newestChunks(of access: SearchAccess) -> SQL {
        let share = min(mostChunks, max(1, mostRows / max(1, access.ranges.count)))
        return """
            SELECT k.conversation_id, k.chunk, k.words IS NOT NULL AS indexed
            FROM \(access.table)
            CROSS JOIN LATERAL (
                SELECT x.conversation_id, x.chunk, x.words, x.first_at FROM read_live.search_chunks x
                WHERE x.conversation_id = a.conversation_id AND (x.chunk + 1) * \(SearchChunk.size) > a.floor
                    AND x.chunk <= (a.ceiling - 1) / \(SearchChunk.size)
                ORDER BY x.chunk DESC LIMIT \(share)
            ) k
            ORDER BY k.first_at DESC LIMIT \(mostChunks)
            """
    }

    /// Words of messages that the person may not read are none of them: where they occur says something, too.
    static func lexemesLike(_ terms: [SearchTerm], in chunks: [(chunk: SearchChunk, range: MessageRange)]) -> SQL {
        let allowances = terms.map { Int32(Spelling.allowance(for: $0.word)) }
        return """
            WITH lexemes AS (
                SELECT DISTINCT w.lexeme
                FROM unnest(
                    \(chunks.map(\.chunk.conversation)), \(chunks.map(\.chunk.number)),
                    \(chunks.map { Int32(clamping: $0.chunk.place(of: $0.range.first)) }),
                    \(chunks.map { Int32(clamping: $0.chunk.place(of: $0.range.last)) })
                ) AS c (conversation_id, chunk, first, last)
                JOIN read_live.search_chunks k ON k.conversation_id = c.conversation_id AND k.chunk = c.chunk
                CROSS JOIN LATERAL unnest(k.words) w
                WHERE w.lexeme NOT LIKE '@%' AND (
                    c.last - c.first + 1 = \(SearchChunk.size)
                    OR EXISTS (SELECT FROM unnest(w.positions) p WHERE p BETWEEN c.first AND c.last))
            )
            SELECT t.n, l.lexeme
            FROM unnest(
                \(terms.map(\.word)), \(terms.map { $0.exact.min() ?? $0.word }), \(terms.map { $0.pattern ?? $0.word }),
                \(allowances)
            ) WITH ORDINALITY AS t (word, exact, pattern, allowance, n)
            CROSS JOIN LATERAL (
                SELECT x.lexeme FROM lexemes x
                WHERE x.lexeme = t.exact OR x.lexeme LIKE t.pattern
                    OR abs(char_length(x.lexeme) - char_length(t.word)) <= t.allowance
                        AND public.similarity(x.lexeme, t.word) >= \(leastSimilarity)::real
                ORDER BY x.lexeme <> t.exact, char_length(x.lexeme), x.lexeme
                LIMIT 500
            ) l
            """
    }
}
