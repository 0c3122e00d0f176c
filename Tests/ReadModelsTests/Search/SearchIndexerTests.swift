import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// What the index holds, when it is made, and when it is taken away.
@Suite(.database) struct SearchIndexerTests {
    private let ada = UUID()
    private let grace = UUID()
    private let room = UUID()

    private var pool: PostgresPool { TestDatabase.current.pool }

    private func indexer(_ language: SearchLanguage = .simple) -> SearchIndexer {
        SearchIndexer(
            pool: pool,
            checkpoints: Checkpoints(partitions: 4),
            language: language,
            logger: SecretWatch.logger
        )
    }

    private func found(
        _ text: String,
        _ language: SearchLanguage = .simple,
        limit: Int = 200
    ) async throws -> [Int64] {
        let queries = Queries(pool: pool, partitions: 4, searchLanguage: language)
        let page = try await queries.search(SearchRequest(text: text), for: grace, after: nil, limit: limit)
        return try #require(page).items.compactMap(\.message.seq)
    }

    /// How many chunks have words, and how many have none.
    private func chunks() async throws -> [Int64] {
        let rows = try await pool.query(
            "SELECT count(k.words) AS indexed, count(*) - count(k.words) AS unread FROM read_live.search_chunks k"
        )
        let row = try #require(rows.first)
        return [try row.decode("indexed"), try row.decode("unread")]
    }

    private func log(_ texts: [String]) -> TestLog {
        var log = TestLog()
        log.startGroup(room, [ada, grace])
        for (index, text) in texts.enumerated() { log.send(text, seq: Int64(index) + 1, to: room, by: ada) }
        return log
    }

    @Test func `full chunks are indexed, and what changes is read itself until it is indexed again`() async throws {
        var log = log((1...70).map { "number \($0)" })
        try await log.project()
        #expect(try await chunks() == [0, 3])
        #expect(try await found("number") == Array((1...70).reversed()))
        try await indexer().indexAll()
        #expect(try await chunks() == [2, 1])
        #expect(try await found("number") == Array((1...70).reversed()))
        #expect(try await found("40") == [40])

        log.edit("fourty", seq: 40, of: room, by: ada)
        try await log.project()
        #expect(try await chunks() == [1, 2])
        #expect(try await found("40") == [])
        #expect(try await found("fourty") == [40])
        try await indexer().indexAll()
        #expect(try await found("40") == [])
        #expect(try await found("fourty") == [40])

        log.delete(40, of: room, sentBy: ada, by: ada)
        try await log.project()
        #expect(try await chunks() == [1, 2])
        #expect(try await found("fourty") == [])
        // Nothing of the text is left in the index either.
        let left = try await pool.query("SELECT FROM read_live.search_chunks k WHERE k.words @@ 'fourty'::tsquery")
        #expect(left.isEmpty)

        for seq in Int64(71)...96 { log.send("number \(seq)", seq: seq, to: room, by: ada) }
        try await log.project()
        try await indexer().indexAll()
        #expect(try await chunks() == [3, 0])
        #expect(try await found("number").count == 95)
    }

    @Test func `a word of the index is found by a part of it, or as it is misspelled`() async throws {
        let log = log((1...64).map { $0 == 5 ? "the wonderful telephones" : $0 == 50 ? "a Wednesday" : "nothing" })
        try await log.project()
        for _ in 0..<2 {
            #expect(try await found("phone") == [5])
            #expect(try await found("wond") == [5])
            #expect(try await found("wendesday") == [50])
            #expect(try await found("wonderfull") == [5])
            #expect(try await found("wonderfull phone") == [5])
            #expect(try await found("wednesday phone") == [])
            try await indexer().indexAll()
            #expect(try await chunks() == [2, 0])
        }
    }

    @Test func `the words of a language are found in all their forms, and those that are everywhere are passed over`()
        async throws
    {
        let english = try #require(SearchLanguage("english"))
        let log = log((1...64).map { $0 == 7 ? "she runs to the houses" : $0 == 60 ? "Running home" : "so what" })
        try await log.project()
        for _ in 0..<2 {
            #expect(try await found("run", english) == [60, 7])
            #expect(try await found("the house", english) == [7])
            #expect(try await found("the", english) == [])
            try await indexer(english).indexAll()
            #expect(try await chunks() == [2, 0])
        }
        let result = try await Queries(pool: pool, partitions: 4, searchLanguage: english).search(
            SearchRequest(text: "house running"),
            for: grace,
            after: nil,
            limit: 10
        )
        #expect(result?.items.first?.highlights == [TextRange(start: 4, length: 4), TextRange(start: 16, length: 6)])
        // Another language begins anew.
        var place: SearchChunk? = .beforeAll
        while let passed = place { place = try await indexer().forgetOutdated(after: passed) }
        #expect(try await chunks() == [0, 2])
        try await indexer().indexAll()
        #expect(try await found("runs") == [7])
        #expect(try await found("the") == [7])
    }

    @Test func `messages with more words than a tsvector takes are read themselves, and stop nobody`() async throws {
        // Some 3,000 words of two letters of four bytes each, in each of 32 messages.
        func letter(_ index: Int) -> Character { Character(Unicode.Scalar(UInt32(0x20000 + index)) ?? "x") }
        let texts = (0..<32).map { message in
            (0..<3_300).map { "\(letter($0))\(letter(message * 100 + $0 / 100))" }.joined(separator: " ")
        }
        let long = "hello" + "か" + String(repeating: "\u{3099}", count: 2_000)
        try await log(texts + (33...64).map { $0 == 40 ? long : "x" }).project()
        try await indexer().indexAll()
        #expect(try await chunks() == [1, 1])
        #expect(try await indexer().index() == 0)
        #expect(try await found("\(letter(7))\(letter(300))") == [4])
        #expect(try await found("hell") == [40])
    }

    @Test func `chunks full of words are fetched a few at a time, and none is left out`() async throws {
        let count = 20 * 32
        let log = log((1...count).map { $0 % 32 == 1 ? "needle" : "hay" })
        try await log.project()
        try await indexer().indexAll()
        // As from messages with words that nobody has ever said.
        try await pool.execute(
            """
            UPDATE read_live.search_chunks k SET words = k.words || (
                SELECT array_to_tsvector(array_agg(md5(k.chunk || '.' || i))) FROM generate_series(1, 20000) i)
            """
        )
        let stored = try await pool.query("SELECT sum(pg_column_size(k.words)) AS bytes FROM read_live.search_chunks k")
        #expect(try #require(stored.first).decode("bytes", as: Int64.self) > SearchBlock.mostWordBytes)
        #expect(try await found("needle") == stride(from: count - 31, through: 1, by: -32).map { Int64($0) })
        // Of the newest, more words are compared than are as a rule, but not all.
        #expect(try await found("neelde").first == Int64(count - 31))
    }

    @Test func `long texts are read a few at a time, and none is left out`() async throws {
        let count = 12 * 32
        try await log((1...count).map { $0 % 32 == 1 ? "needle" : "hay" }).project()
        // Longer than anybody may send, so that a few are enough.
        try await pool.execute(
            "UPDATE read_live.messages m SET text = m.text || repeat(' 😀', 200000) WHERE m.seq % 32 = 1"
        )
        let queries = Queries(pool: pool, partitions: 4)
        var seen: [Int64] = []
        var cursor: String?
        repeat {
            let page = try await queries.search(SearchRequest(text: "needle"), for: grace, after: cursor, limit: 200)
            seen += try #require(page).items.compactMap(\.message.seq)
            cursor = page?.nextCursor
        } while cursor != nil && seen.count <= count
        #expect(seen == stride(from: count - 31, through: 1, by: -32).map { Int64($0) })
        let indexed = try await indexer().index()
        #expect(indexed > 0 && indexed < 12)
        try await indexer().indexAll()
        #expect(try await chunks() == [12, 0])
    }

    @Test func `an edit waits for the indexer, and comes after it`() async throws {
        var log = log((1...32).map { "number \($0)" })
        try await log.project()
        log.edit("zebra", seq: 7, of: room, by: ada)
        let edited = log
        let holder = try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: SecretWatch.logger
        )
        try await holder.execute("BEGIN")
        #expect(try await holder.query(SearchIndexer.due(atMost: 16)).count == 1)
        async let projected: Void = edited.project()
        var isWaiting = false
        while !isWaiting {
            let waiting = try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.query(
                    """
                    SELECT FROM pg_stat_activity a
                    WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'
                    """
                )
            }
            isWaiting = !waiting.isEmpty
        }
        try await holder.execute("UPDATE read_live.search_chunks SET words = 'number:7', dictionary = 'simple'")
        try await holder.execute("COMMIT")
        await holder.close()
        try await projected
        #expect(try await chunks() == [0, 1])
        #expect(try await found("zebra") == [7])
    }

    @Test func `words that one may not read are like no others`() async throws {
        var log = TestLog()
        log.startGroup(room, [ada, UUID(), UUID()], visibility: .joined)
        log.send("the codeword is zanzibar", seq: 1, to: room, by: ada)
        log.add(grace, to: room, headSeq: 1, by: ada)
        log.send("zanzibat is ours", seq: 2, to: room, by: ada)
        for seq in Int64(3)...32 { log.send("nothing", seq: seq, to: room, by: ada) }
        try await log.project()
        for _ in 0..<2 {
            #expect(try await found("zanzibar") == [2])
            #expect(try await found("codewort") == [])
            try await indexer().indexAll()
            #expect(try await chunks() == [1, 0])
        }
    }

    @Test func `a page goes on where it ended, whatever was indexed meanwhile`() async throws {
        // The older they are, the nearer stand the words.
        let near = (1...32).map { _ in "zebra quux" }
        let far = (33...2_112).map { _ in "zebra and very many other words that stand between it and quux" }
        var log = log(near + far)
        try await log.project()
        try await indexer().indexAll()
        for seq in stride(from: Int64(100), through: 2_100, by: 32) { log.edit("other", seq: seq, of: room, by: ada) }
        try await log.project()
        let queries = Queries(pool: pool, partitions: 4)
        var seqs: Set<Int64> = []
        var cursor: String?
        var pages = 0
        repeat {
            let request = SearchRequest(text: "quux zebra")
            let page = try #require(try await queries.search(request, for: grace, after: cursor, limit: 200))
            let found = page.items.compactMap(\.message.seq)
            #expect(seqs.isDisjoint(with: found))
            seqs.formUnion(found)
            cursor = page.nextCursor
            pages += 1
            if pages == 1 { try await indexer().indexAll() }
            if pages == 3 {
                try await pool.execute("UPDATE read_live.search_chunks SET words = NULL, dictionary = NULL")
            }
        } while cursor != nil
        #expect(seqs.count == 2_112 - 63)
    }

    @Test func `cursors with the most extreme times are answered or refused`() async throws {
        try await log(["number"]).project()
        let queries = Queries(pool: pool, partitions: 4)
        for microseconds in [-250, -200, 200, 250].map({ Int64($0) * 1_000_000_000_000_000 }) {
            let cursor = PageCursor(.search).appending(0).appending(microseconds).appending(1).appending(microseconds)
                .appending(UUID()).appending(0).text
            do {
                _ = try await queries.search(SearchRequest(text: "number"), for: grace, after: cursor, limit: 10)
            } catch is BadCursor {}
        }
    }

    @Test func `a page of many is gone on with where it ended, while messages come and go`() async throws {
        var log = log((1...300).map { "number \($0)" })
        try await log.project()
        try await indexer().indexAll()
        let queries = Queries(pool: pool, partitions: 4, answerBytes: 20_000)
        var seqs: [Int64] = []
        var cursor: String?
        var pages = 0
        repeat {
            let request = SearchRequest(text: "number")
            let page = try #require(try await queries.search(request, for: grace, after: cursor, limit: 40))
            #expect(page.items.count <= 40)
            seqs += page.items.compactMap(\.message.seq)
            cursor = page.nextCursor
            pages += 1
            log.send("number \(300 + pages)", seq: 300 + Int64(pages), to: room, by: ada)
            if pages == 1 { log.delete(3, of: room, sentBy: ada, by: ada) }
            try await log.project()
        } while cursor != nil
        let newestFirst: [Int64] = (1...300).reversed()
        #expect(seqs == newestFirst.filter { $0 != 3 })
    }
}
