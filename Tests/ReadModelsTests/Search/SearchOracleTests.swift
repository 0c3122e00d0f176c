import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// What is found, against what reading everything finds, whatever is in the index at that moment.
@Suite(.database) struct SearchOracleTests {
    private var pool: PostgresPool { TestDatabase.current.pool }
    private var indexer: SearchIndexer {
        SearchIndexer(
            pool: pool,
            checkpoints: Checkpoints(partitions: 4),
            language: .simple,
            logger: SecretWatch.logger
        )
    }

    @Test(arguments: UInt64(1)...4)
    func `search finds what reading everything finds`(seed: UInt64) async throws {
        // By either route; a table as small as this is always asked by the index.
        let route: SearchRoute = seed.isMultiple(of: 2) ? .index : .newestFirst
        let history = RandomHistory(seed: seed, steps: 900, sends: 80)
        var random = SeededGenerator(seed: seed &* 17)
        let half = history.log.firstHalf
        try await half.project()
        try await expectAll(half, history.everyone, route, &random)
        // Some of it, then all; then messages of it change.
        _ = try await indexer.index()
        try await expectAll(half, history.everyone, route, &random)
        try await indexer.indexAll()
        let indexed = try await pool.query("SELECT FROM read_live.search_chunks k WHERE k.words IS NOT NULL")
        #expect(!indexed.isEmpty, "a history without full chunks shows little")
        try await expectAll(half, history.everyone, route, &random)
        try await history.log.project(batch: { 1 + random.below(90) })
        try await expectAll(history.log, history.everyone, route, &random)
        try await indexer.indexAll()
        try await expectAll(history.log, history.everyone, route, &random)
    }

    private func expectAll(
        _ log: TestLog,
        _ everyone: [UUID],
        _ route: SearchRoute,
        _ random: inout SeededGenerator
    ) async throws {
        let oracle = Oracle(log)
        var queries = Queries(pool: pool, partitions: 3)
        queries.searchRoute = route
        for person in everyone {
            let number = random.below(1_000)
            let other = everyone[random.below(everyone.count)]
            let middle = TestLog.beginning.addingTimeInterval(Double(random.below(1_200)))
            let requests = [
                SearchRequest(text: "text"),
                SearchRequest(text: "Edited"),
                SearchRequest(text: "\(number) text"),
                SearchRequest(text: "text", sender: other),
                SearchRequest(text: "", sender: other),
                SearchRequest(text: "", mentionsCaller: true),
                SearchRequest(text: "text", after: middle),
                SearchRequest(text: "text", before: middle),
                SearchRequest(text: "nowhere"),
            ]
            for request in requests { try await expect(request, for: person, oracle, queries) }
            let rooms = oracle.talks.keys.sorted()
            let room = rooms[random.below(rooms.count)]
            let narrowed = [
                SearchRequest(text: "text", conversation: room),
                SearchRequest(text: "text", conversation: room, sender: other, after: middle),
                SearchRequest(text: "", conversation: room, before: middle, mentionsCaller: true),
                SearchRequest(text: "text", sender: other, mentionsCaller: true),
            ]
            for request in narrowed { try await expect(request, for: person, oracle, queries) }
        }
    }

    private struct Place: Hashable {
        let conversation: UUID
        let seq: Int64
    }

    private func expect(_ request: SearchRequest, for person: UUID, _ oracle: Oracle, _ queries: Queries) async throws {
        let words = SearchWords.words(of: request.text)
        var expected: Set<Place> = []
        for (id, whole) in oracle.talks where request.conversation.map({ $0 == id }) ?? true {
            let talk = whole.seen(by: person)
            guard talk.span(of: person) != nil else { continue }
            for message in talk.visible(to: person) {
                if talk.editedSince.contains(message.seq) { continue }
                guard let text = message.text, words.isSubset(of: SearchWords.words(of: text)) else { continue }
                if let sender = request.sender, message.sender != sender { continue }
                if request.mentionsCaller, message.sender == person || !message.mentions(person) { continue }
                let sentAt = talk.sentAt[message.seq] ?? .distantPast
                if let after = request.after, sentAt < after { continue }
                if let before = request.before, sentAt >= before { continue }
                expected.insert(Place(conversation: id, seq: message.seq))
            }
        }
        let found = try await all(request, for: person, queries)
        if let conversation = request.conversation, oracle.talks[conversation]?.span(of: person) == nil {
            #expect(found == nil)
            return
        }
        let results = try #require(found)
        let exact = results.filter { words.isSubset(of: SearchWords.words(of: $0.message.text ?? "")) }
        let places = exact.map { Place(conversation: $0.message.conversationId.uuid, seq: $0.message.seq ?? 0) }
        #expect(Set(places) == expected, "\(request)")
        #expect(places.count == Set(places).count, "nothing comes twice")
        #expect(Array(results.prefix(exact.count)) == exact, "what is like the words comes after the words")
        for result in exact {
            let scalars = Array((result.message.text ?? "").unicodeScalars)
            let shown = result.highlights.map { range in
                String(String.UnicodeScalarView(scalars[range.start..<range.start + range.length])).lowercased()
            }
            #expect(Set(shown) == words)
        }
    }

    /// Page by page; nil where the conversation is not there to be searched.
    private func all(_ request: SearchRequest, for person: UUID, _ queries: Queries) async throws -> [SearchResult]? {
        var results: [SearchResult] = []
        var cursor: String?
        repeat {
            guard let page = try await queries.search(request, for: person, after: cursor, limit: 90) else {
                return nil
            }
            results += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return results
    }
}
