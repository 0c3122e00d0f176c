import Foundation
import Postgres

/// Messages that are ordered by how well they fit: of chunks that follow each other, from a place on.
struct SearchBlock {
    /// As many chunks are looked at for it.
    private static let mostChunks = 200
    /// As many messages are read for it, and those of one chunk more.
    private static let mostMessages: Int64 = 1_024

    struct Hit {
        let rank: SearchRank
        let range: MessageRange
    }

    /// The best first.
    let hits: [Hit]
    /// Where it begins, so that newer messages do not move it; nil where there is nothing.
    let start: SearchPlace?
    /// Where the next one begins; nil where there is none.
    let next: SearchPlace?

    static func read(
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> SearchBlock {
        let candidates = try Candidate.read(
            try await connection.query(
                statement(from: cursor.block, matcher, access, atMost: mostChunks + 1)
            )
        )
        var ranges: [MessageRange] = []
        var next = candidates.dropFirst(mostChunks).first
        var messages: Int64 = 0
        for candidate in candidates.prefix(mostChunks) {
            guard messages < mostMessages else {
                next = candidate
                break
            }
            let found = candidate.ranges(of: matcher.groups, access)
            messages += found.reduce(0) { $0 + $1.last - $1.first + 1 }
            ranges += found
        }
        let hits = try await read(ranges, at: cursor, matcher, language, on: connection)
        return SearchBlock(
            hits: hits.sorted { $0.rank < $1.rank },
            start: candidates.first?.place,
            next: next?.place
        )
    }

    private static func read(
        _ ranges: [MessageRange],
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> [Hit] {
        let messages = try await SearchedMessage.read(ranges, seenBy: matcher.caller, on: connection)
            .filter(matcher.admits)
        let lexemes = try await language.lexemes(of: messages.map(\.text), on: connection)
        let floors = Dictionary(ranges.map { ($0.conversation, $0.floor) }) { first, _ in first }
        return messages.compactMap { message in
            guard let match = matcher.match(message.text, lexemes),
                // Those were shown before.
                cursor.pass == .exact || !match.isExact
            else { return nil }
            return Hit(
                rank: SearchRank(
                    score: matcher.score(match, sentAt: message.sentAt, asOf: cursor.begunAt),
                    conversation: message.conversation,
                    seq: message.seq
                ),
                range: MessageRange(
                    conversation: message.conversation,
                    first: message.seq,
                    last: message.seq,
                    floor: floors[message.conversation] ?? 0
                )
            )
        }
    }

    /// The newest chunks from a place on that have what is looked for, or may have it, with where they have it.
    static func statement(
        from place: SearchPlace?,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        atMost limit: Int
    ) -> SQL {
        let groups = matcher.groups
        var condition: SQL = "k.conversation_id = ANY (\(Array(access.ranges.keys)))"
        if let place {
            let (chunk, firstAt) = (place.chunk, place.firstAt)
            condition += """
                 AND k.first_at <= \(firstAt) AND (k.first_at, k.conversation_id, k.chunk)
                    <= (\(firstAt), \(chunk.conversation), \(chunk.number))
                """
        }
        if let before = matcher.request.before { condition += " AND k.first_at < \(before)" }
        if let after = matcher.request.after { condition += " AND (k.last_at IS NULL OR k.last_at >= \(after))" }
        let newest: SQL = """
            JOIN \(access.table) ON a.conversation_id = k.conversation_id
                AND (k.chunk + 1) * \(SearchChunk.size) > a.floor AND k.chunk * \(SearchChunk.size) < a.ceiling
            WHERE \(condition) AND
            """
        let order: SQL = "first_at DESC, conversation_id DESC, chunk DESC LIMIT \(limit)"
        return """
            WITH found AS (
                (SELECT k.conversation_id, k.chunk, k.first_at, k.words FROM read_live.search_chunks k
                \(newest) k.words @@ \(SearchText.query(groups))::text::tsquery
                ORDER BY \(order))
                UNION ALL
                (SELECT k.conversation_id, k.chunk, k.first_at, NULL FROM read_live.search_chunks k
                \(newest) k.words IS NULL
                ORDER BY \(order))
            ), newest AS (
                SELECT f.* FROM found f ORDER BY \(order)
            )
            SELECT n.conversation_id, n.chunk, n.first_at, n.words IS NOT NULL AS indexed, w.lexeme, w.positions
            FROM newest n
            LEFT JOIN LATERAL (
                SELECT x.lexeme, x.positions FROM unnest(n.words) x
                WHERE x.lexeme = ANY (\(Array(groups.reduce(into: Set()) { $0.formUnion($1) })))
            ) w ON true
            ORDER BY n.first_at DESC, n.conversation_id DESC, n.chunk DESC
            """
    }

    /// A chunk that has what is looked for, or has to be read to find out.
    private struct Candidate {
        let place: SearchPlace
        let isIndexed: Bool
        private(set) var places: [String: [Int16]] = [:]

        /// Of rows in the order of their chunks.
        static func read(_ rows: Rows) throws -> [Candidate] {
            var candidates: [Candidate] = []
            for row in rows {
                let chunk = try SearchChunk(row)
                if candidates.last?.place.chunk != chunk {
                    let place = SearchPlace(firstAt: try row.decode("first_at"), chunk: chunk)
                    candidates.append(Candidate(place: place, isIndexed: try row.decode("indexed")))
                }
                guard let lexeme = try row.decode("lexeme", as: String?.self) else { continue }
                candidates[candidates.endIndex - 1].places[lexeme] = try row.decode("positions")
            }
            return candidates
        }

        /// What is to be read of it: the messages that have a lexeme of each group, or all.
        func ranges(of groups: [Set<String>], _ access: SearchAccess) -> [MessageRange] {
            let chunk = place.chunk
            guard isIndexed else { return access.range(of: chunk).map { [$0] } ?? [] }
            let found = groups.map { group in group.reduce(into: Set()) { $0.formUnion(places[$1] ?? []) } }
            let common = found.dropFirst().reduce(found.first ?? []) { $0.intersection($1) }
            return common.sorted().compactMap { place in
                access.range(of: chunk.seq(at: Int64(place)), in: chunk.conversation)
            }
        }
    }
}
