package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page looks through so many blocks: one that has found little by then says where to go on.
    private static let mostBlocks = 8

    /// Messages that the caller may read and that have all words of what is asked, as they are now: the newer parts of
    /// histories come first, and in each the best. After those that have the words themselves come those that have words
    /// like them.
    ///
    /// A page may be short, or empty, and still have a next one.
    ///
    /// - Returns: nil where the conversation that is asked for is none of the caller's.
    /// - Throws: ``BadCursor``.
    package func search(
        _ request: SearchRequest,
        for caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<SearchResult>? {
        let start =
            try cursor.map { text throws(BadCursor) in try SearchCursor(text: text) } ?? SearchCursor(begunAt: Date())
        let limit = Self.clamped(limit)
        return try await pool.withConnection { connection in
            try await connection.withTransaction(beginningWith: Self.settings) { connection, _ in
                ([], try await search(request, for: caller, from: start, limit: limit, on: connection))
            }.result
        }
    }

    private static let settings: [SQL] = [
        // First, as in every reader of several statements: a rebuild that switches tables waits for it.
        "LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE",
        // How many messages have a word is what a plan depends on: it is made for each search. PostgreSQL does not know that
        // words are stored apart, and that to look at those of all chunks takes so much longer than an index.
        """
        SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
            set_config('enable_material', 'on', true)
        """,
    ]

    /// What is found is read as everywhere else: with the joins that are on for searching, PostgreSQL read all messages for one
    /// page, for 160 to 220 ms.
    private static let readerSettings: [SQL] = [
        "SET LOCAL enable_hashjoin TO DEFAULT", "SET LOCAL enable_mergejoin TO DEFAULT",
        "SET LOCAL enable_material TO DEFAULT",
    ]

    private func search(
        _ request: SearchRequest,
        for caller: UUID,
        from start: SearchCursor,
        limit: Int,
        on connection: PostgresConnection
    ) async throws -> ListPage<SearchResult>? {
        guard let access = try await SearchAccess.read(of: caller, in: request.conversation, on: connection) else {
            return nil
        }
        let lexemes = try await searchLanguage.lexemes(of: [request.text], on: connection)
        let matcher = SearchMatcher(
            request: request,
            caller: caller,
            terms: SearchTerm.terms(of: request.text, in: lexemes)
        )
        // What is no word, such as an emoji, is in no message as far as search knows.
        guard !request.hasText || !SearchWords.places(in: request.text).isEmpty else {
            return ListPage(items: [], nextCursor: nil, users: [:])
        }
        var walk = SearchWalk(at: start, matcher, access, searchLanguage, searchRoute)
        for _ in 0..<Self.mostBlocks where walk.needsMore(limit) {
            try await walk.step(limit: limit, on: connection)
        }
        return try await page(of: walk, for: caller, on: connection)
    }

    private func page(
        of walk: SearchWalk,
        for caller: UUID,
        on connection: PostgresConnection
    ) async throws -> ListPage<SearchResult> {
        for setting in Self.readerSettings { try await connection.execute(setting) }
        var reader = MessageReader(caller: caller, budget: answerBytes)
        let ranges = walk.hits.map(\.hit.range)
        try await reader.read(ranges, on: connection)
        var room = AnswerRoom(answerBytes)
        try await room.learn(reader.people, on: connection)
        reader.keep(ranges, in: &room)
        let texts = reader.messages.values.joined().compactMap(\.text)
        let lexemes = try await searchLanguage.lexemes(of: texts, on: connection)
        var messages: [UUID: [Int64: Message]] = [:]
        for message in reader.messages.values.joined() {
            messages[message.conversationId.uuid, default: [:]][message.seq ?? 0] = message
        }
        var items: [SearchResult] = []
        var next = walk.next
        for (index, (hit, cursor)) in walk.hits.enumerated() {
            guard let message = messages[hit.rank.conversation]?[hit.rank.seq] else { continue }
            // What does not fit is at the end.
            next = index + 1 < walk.hits.count ? cursor : walk.next
            // Others may have changed the message meanwhile.
            guard let text = message.text, let match = walk.matcher.match(text, lexemes) else { continue }
            items.append(SearchResult(message: message, highlights: match.highlights.map(TextRange.init)))
        }
        return ListPage(items: items, nextCursor: next?.text, users: room.users)
    }
}

/// Goes through the blocks of a search, one after the other.
private struct SearchWalk {
    private(set) var matcher: SearchMatcher
    private let access: SearchAccess
    private let language: SearchLanguage
    /// Nil for the one that takes less.
    private let route: SearchRoute?
    /// What was found, each with the place behind it.
    private(set) var hits: [(hit: SearchBlock.Hit, cursor: SearchCursor)] = []
    /// Where to go on; nil where there is nothing more.
    private(set) var next: SearchCursor?
    private var isExtended = false
    /// Little is near, where a page goes on behind its first block.
    private var reach: SearchBlock.Reach
    /// Of longer questions none but the words themselves are looked for.
    private static let mostSimilarTerms = 12

    init(
        at cursor: SearchCursor,
        _ matcher: SearchMatcher,
        _ access: SearchAccess,
        _ language: SearchLanguage,
        _ route: SearchRoute?
    ) {
        self.matcher = matcher
        self.access = access
        self.language = language
        self.route = route
        reach = cursor.shown == nil ? .near : .far
        // Where nothing is looked for, everything would be found.
        next = matcher.groups.isEmpty || access.histories.isEmpty ? nil : cursor
    }

    /// Words that are like others are looked for where the words themselves are in no message, or when somebody asks for what
    /// comes after those: it takes longer than all the rest.
    func needsMore(_ limit: Int) -> Bool {
        guard let next, let first = hits.first else { return next != nil }
        return hits.count < limit && next.pass == first.cursor.pass
    }

    mutating func step(limit: Int, on connection: PostgresConnection) async throws {
        guard var cursor = next else { return }
        if cursor.pass == .similar, !isExtended {
            let terms = try await SearchVocabulary.extend(
                matcher.terms,
                for: matcher.caller,
                access,
                language,
                on: connection
            )
            matcher.terms = terms
            isExtended = true
            guard terms.contains(where: { !$0.similar.isEmpty }) else {
                next = nil
                return
            }
        }
        let route =
            if let route { route } else {
                try await SearchRoute.choose(for: matcher.groups, access, reach.mostChunks, on: connection)
            }
        let block = try await SearchBlock.read(at: cursor, reach, route, matcher, access, language, on: connection)
        reach = .far
        guard let end = block.end else { return goOn(after: cursor) }
        for hit in block.hits {
            if let last = cursor.shown?.last, hit.rank <= last { continue }
            guard hits.count < limit else {
                next = cursor
                return
            }
            cursor.shown = (end, hit.rank)
            hits.append((hit, cursor))
        }
        if block.isLast { return goOn(after: cursor) }
        cursor.shown = nil
        cursor.previous = end
        next = cursor
    }

    /// Behind the last block.
    private mutating func goOn(after cursor: SearchCursor) {
        reach = .near
        next = nil
        guard cursor.pass == .exact, !matcher.terms.isEmpty, matcher.terms.count <= Self.mostSimilarTerms else {
            return
        }
        var similar = SearchCursor(begunAt: cursor.begunAt)
        similar.pass = .similar
        next = similar
    }
}

extension TextRange {
    fileprivate init(_ scalars: Range<Int>) {
        self.init(start: scalars.lowerBound, length: scalars.count)
    }
}
