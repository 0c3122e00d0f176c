import Foundation
import Postgres

/// Messages that are ordered by how well they fit: of chunks that follow each other, from a place on.
struct SearchBlock {
    /// As many chunks are looked at for it.
    private static let mostChunks = 200
    /// As many messages are read for it, and those of one chunk more.
    private static let mostMessages: Int64 = 1_024
    /// A block that is read again is read in portions of so much: after a rebuild it may have more to read than before.
    private static let mostPortions = 32

    struct Hit {
        let rank: SearchRank
        let range: MessageRange
    }

    /// The best first.
    let hits: [Hit]
    /// Its last chunk; nil where there is nothing more.
    let end: SearchPlace?

    /// The block that comes next, or that the cursor is in: then up to the chunk where it ended before, however much of it
    /// has been indexed since, or has to be read itself again.
    static func read(
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> SearchBlock {
        var hits: [Hit] = []
        var reached = cursor.previous
        for _ in 0..<mostPortions {
            let portion = try await portion(after: reached, at: cursor, matcher, access, on: connection)
            guard let end = portion.end else { break }
            hits += try await read(portion.ranges, at: cursor, matcher, language, on: connection)
            reached = end
            if cursor.shown == nil { break }
        }
        let isAny = cursor.shown != nil || reached != nil && reached != cursor.previous
        return SearchBlock(
            hits: hits.sorted { $0.rank < $1.rank },
            end: isAny ? cursor.shown?.end ?? reached : nil
        )
    }

    /// What is to be read of the next chunks, and the last of them; nil where there are none.
    private static func portion(
        after place: SearchPlace?,
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        on connection: PostgresConnection
    ) async throws -> (ranges: [MessageRange], end: SearchPlace?) {
        let span = (after: place, upTo: cursor.shown?.end)
        let rows = try await connection.query(
            statement(for: span, matcher, access, atMost: mostChunks)
        )
        var ranges: [MessageRange] = []
        var messages: Int64 = 0
        var end: SearchPlace?
        for candidate in try Candidate.read(rows) where messages < mostMessages {
            let found = candidate.ranges(of: matcher.groups, access)
            messages += found.reduce(0) { $0 + $1.last - $1.first + 1 }
            ranges += found
            end = candidate.place
        }
        return (ranges, end)
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

    /// The newest chunks of a span that have what is looked for, or may have it, with where they have it.
    static func statement(
        for span: (after: SearchPlace?, upTo: SearchPlace?),
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        atMost limit: Int
    ) -> SQL {
        let groups = matcher.groups
        var condition: SQL = "k.conversation_id = ANY (\(Array(access.ranges.keys)))"
        if let place = span.after {
            condition += """
                 AND k.first_at <= \(place.firstAt) AND (k.first_at, k.conversation_id, k.chunk)
                    < (\(place.firstAt), \(place.chunk.conversation), \(place.chunk.number))
                """
        }
        if let place = span.upTo {
            condition += """
                 AND (k.first_at, k.conversation_id, k.chunk)
                    >= (\(place.firstAt), \(place.chunk.conversation), \(place.chunk.number))
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
