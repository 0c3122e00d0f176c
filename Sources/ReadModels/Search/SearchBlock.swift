import Foundation
import Postgres

/// Messages that are ordered by how well they fit: of chunks that follow each other, from a place on.
struct SearchBlock {
    /// How far a block goes.
    enum Reach {
        /// As far as there is enough, as a rule: nothing is asked but an index.
        case near
        /// Farther: what the index gives is looked at by PostgreSQL, so that what has the words apart is not sent.
        case far

        /// As many chunks are looked at.
        var mostChunks: Int {
            switch self {
            case .near: 200
            case .far: 1_600
            }
        }
    }

    /// As many messages are read for it, and those of one chunk more.
    private static let mostMessages: Int64 = 1_024
    /// With so many messages that are known to have what is looked for there is enough to choose from.
    private static let mostHits = 256
    /// So many bytes of words are fetched at once, as they are stored, and those of one chunk more: a few thousand chunks as
    /// people write, and a few of those that somebody has filled with words.
    static let mostWordBytes: Int64 = 8 * 1_048_576
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
    /// Whether it is known that nothing comes after it.
    let isLast: Bool

    /// The block that comes next, or that the cursor is in: then up to the chunk where it ended before, however much of it
    /// has been indexed since, or has to be read itself again.
    static func read(
        at cursor: SearchCursor,
        _ reach: Reach,
        _ route: SearchRoute,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> SearchBlock {
        var hits: [Hit] = []
        var reached = cursor.previous
        var isLast = false
        for _ in 0..<mostPortions {
            let portion = try await portion(after: reached, at: cursor, reach, route, matcher, access, on: connection)
            let (found, count) = try await read(
                portion.pieces.map(\.ranges),
                at: cursor,
                matcher,
                access,
                language,
                on: connection
            )
            hits += found
            guard let last = portion.pieces.prefix(count).last else { break }
            reached = last.place
            isLast = cursor.shown == nil && portion.isLast && count == portion.pieces.count
            if cursor.shown == nil { break }
        }
        let isAny = cursor.shown != nil || reached != nil && reached != cursor.previous
        return SearchBlock(
            hits: hits.sorted { $0.rank < $1.rank },
            end: isAny ? cursor.shown?.end ?? reached : nil,
            isLast: isLast
        )
    }

    /// What is to be read of the next chunks.
    private static func portion(
        after place: SearchPlace?,
        at cursor: SearchCursor,
        _ reach: Reach,
        _ route: SearchRoute,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        on connection: PostgresConnection
    ) async throws -> (pieces: [(place: SearchPlace, ranges: [MessageRange])], isLast: Bool) {
        let span = (after: place, upTo: cursor.shown?.end)
        let rows = try await connection.query(statement(for: span, reach, route, matcher, access))
        var pieces: [(place: SearchPlace, ranges: [MessageRange])] = []
        var messages: Int64 = 0
        var hits = 0
        let fetched = try rows.last?.decode("bytes", as: Int64.self) ?? 0
        var isLast = rows.count < reach.mostChunks && fetched < mostWordBytes
        let lexemes = SearchedLexemes(matcher.groups)
        for row in rows {
            guard messages < mostMessages, hits < mostHits else {
                isLast = false
                break
            }
            let candidate = try Candidate(row)
            let found = try candidate.ranges(of: lexemes, access)
            messages += found.reduce(0) { $0 + $1.last - $1.first + 1 }
            if candidate.isIndexed { hits += found.count }
            pieces.append((candidate.place, found))
        }
        return (pieces, isLast)
    }

    /// - Returns: what was found, and in how many of the pieces.
    private static func read(
        _ pieces: [[MessageRange]],
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        on connection: PostgresConnection
    ) async throws -> (hits: [Hit], pieces: Int) {
        let read = try await SearchedMessage.read(pieces, seenBy: matcher.caller, on: connection)
        let messages = read.messages.filter(matcher.admits)
        let lexemes = try await language.lexemes(of: messages.map(\.text), on: connection)
        let hits = messages.compactMap { message -> Hit? in
            guard let range = access.range(of: message.seq, in: message.conversation),
                let match = matcher.match(message.text, lexemes),
                // Those were shown before.
                cursor.pass == .exact || !match.isExact
            else { return nil }
            return Hit(
                rank: SearchRank(
                    score: matcher.score(match, sentAt: message.sentAt, asOf: cursor.begunAt),
                    conversation: message.conversation,
                    seq: message.seq
                ),
                range: range
            )
        }
        return (hits, read.pieces)
    }

    /// The newest chunks of a span that have what is looked for, or may have it, with their words.
    static func statement(
        for span: (after: SearchPlace?, upTo: SearchPlace?),
        _ reach: Reach,
        _ route: SearchRoute,
        _ matcher: SearchMatcher,
        _ access: SearchAccess
    ) -> SQL {
        let groups = matcher.groups
        var condition: SQL = "k.conversation_id = ANY (\(Array(access.histories.keys)))"
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
        let order: SQL = "first_at DESC, conversation_id DESC, chunk DESC LIMIT \(reach.mostChunks)"
        let words: SQL =
            switch reach {
            case .near: "f.words"
            case .far:
                "CASE WHEN f.words @@ \(SearchText.query(groups, atOnePlace: true))::text::tsquery THEN f.words END"
            }
        let query: SQL = "\(SearchText.query(groups))::text::tsquery"
        let source: SQL =
            switch route {
            case .index: "read_live.search_chunks k \(newest) k.words @@ \(query)"
            case .newestFirst:
                // The offset keeps PostgreSQL from looking at words before the order is known, of all that there are.
                """
                (
                    SELECT k.conversation_id, k.chunk, k.partition, k.first_at FROM read_live.search_chunks k
                    \(newest) k.words IS NOT NULL
                    ORDER BY k.first_at DESC, k.conversation_id DESC, k.chunk DESC OFFSET 0
                ) k
                CROSS JOIN LATERAL (
                    SELECT x.words FROM read_live.search_chunks x
                    WHERE x.conversation_id = k.conversation_id AND x.chunk = k.chunk AND x.partition = k.partition
                        AND x.words @@ \(query)
                ) x
                """
            }
        let found: SQL = route == .index ? "k.words" : "x.words"
        return """
            WITH found AS (
                (SELECT k.conversation_id, k.chunk, k.first_at, \(found), true AS indexed FROM \(source)
                ORDER BY k.first_at DESC, k.conversation_id DESC, k.chunk DESC LIMIT \(reach.mostChunks))
                UNION ALL
                (SELECT k.conversation_id, k.chunk, k.first_at, NULL, false FROM read_live.search_chunks k
                \(newest) k.words IS NULL
                ORDER BY \(order))
            )
            SELECT f.conversation_id, f.chunk, f.first_at, f.indexed, f.bytes, \(words) AS words
            FROM (
                SELECT x.*, \(SearchChunk.bytesUpToHere("x")) AS bytes FROM (SELECT y.* FROM found y ORDER BY \(order)) x
            ) f
            WHERE f.bytes - coalesce(pg_column_size(f.words), 0) < \(mostWordBytes)
            ORDER BY f.first_at DESC, f.conversation_id DESC, f.chunk DESC
            """
    }

    /// A chunk that has what is looked for, or has to be read to find out.
    private struct Candidate {
        let place: SearchPlace
        let isIndexed: Bool
        /// Nil also where it does not have the words in one message.
        private let words: TextSearchVector?

        init(_ row: Row) throws {
            place = SearchPlace(firstAt: try row.decode("first_at"), chunk: try SearchChunk(row))
            isIndexed = try row.decode("indexed")
            words = try row.decode("words")
        }

        /// What is to be read of it: the messages that have a lexeme of each group, or all.
        func ranges(of lexemes: SearchedLexemes, _ access: SearchAccess) throws -> [MessageRange] {
            let chunk = place.chunk
            guard isIndexed else { return access.range(of: chunk).map { [$0] } ?? [] }
            guard let words else { return [] }
            let places = try lexemes.places(in: words)
            return places.ascending.compactMap { access.range(of: chunk.seq(at: $0), in: chunk.conversation) }
        }
    }
}
