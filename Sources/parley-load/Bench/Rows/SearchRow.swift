import Foundation
import ParleyWire
import Postgres

/// Searches among 10^6 messages by a member of 100 conversations, who has half of the messages in them.
struct SearchRow: BenchRow {
    private static let conversations = 100
    private static let batch = 100
    private static let searches = 400
    /// Chunks that are indexed anew, to see what it takes.
    private static let reindexed = 1_000

    func measure(_ subject: Subject) async throws -> [Finding] {
        let messages = subject.settings.quick ? 20_000 : 1_000_000
        let people = try await subject.crowd.people(4)
        let groups = try await subject.crowd.groups(
            (0..<2 * Self.conversations).map { [people[1], people[$0 < Self.conversations ? 0 : 2], people[3]] }
        )
        try await fill(groups, messages, subject)
        try await waitForIndex(subject, chunks: messages / 32 - groups.count)
        var words = DrawnWords(seed: 1)
        let plain = try await search(subject, by: people[0], "whole words") { words.question() }
        let similar = try await search(subject, by: people[0], "parts and misspelled words") { words.misspelled() }
        let what = "one or two words among \(FigureUnit.count.text(Double(messages))) messages"
        return [
            Finding(
                .search,
                "\(what), p50",
                [plain.percentile(50)],
                .milliseconds,
                goal: .init(.figure, .atMost, bar: 50, aim: 20),
                details: plain.figures
            ),
            Finding(
                .search,
                "the same, p99",
                [plain.percentile(99)],
                .milliseconds,
                goal: .init(.figure, .atMost, bar: 200, aim: 100)
            ),
            Finding(
                .search,
                "parts of words, or misspelled, p50",
                [similar.percentile(50)],
                .milliseconds,
                details: similar.figures
            ),
            Finding(.search, "messages indexed", [try await indexingRate(subject)], .perSecond),
        ]
    }

    private struct Batch: Encodable {
        let messages: [SendMessageRequest]
    }

    private func fill(_ groups: [Crowd.Group], _ messages: Int, _ subject: Subject) async throws {
        let batches = messages / Self.batch
        subject.progress.begin("filling", total: batches)
        defer { subject.progress.end() }
        _ = try await concurrentMap(Array(0..<batches), width: Crowd.width) { number in
            var words = DrawnWords(seed: UInt64(number) + 2)
            let group = groups[number % groups.count]
            let body = Batch(messages: (0..<Self.batch).map { _ in SendMessageRequest(text: words.message()) })
            let path = "/v1/conversations/\(group.id)/messages"
            try await group.people[number % 2].account.perform("send", .post(path, body))
            subject.progress.advance()
        }
    }

    private func waitForIndex(_ subject: Subject, chunks: Int) async throws {
        try await subject.server.withDatabase { connection in
            while true {
                let rows = try await connection.query(
                    "SELECT count(*) FROM read_live.search_chunks k WHERE k.words IS NOT NULL"
                )
                if Int(clamping: try rows.first?.decode(0, as: Int64.self) ?? 0) >= chunks { return }
                try await Task.sleep(for: .seconds(1))
            }
        }
        subject.progress.note("indexed")
    }

    private func search(
        _ subject: Subject,
        by person: Crowd.Person,
        _ phase: String,
        _ question: () -> String
    ) async throws -> Latencies {
        subject.progress.begin(phase, total: Self.searches)
        defer { subject.progress.end() }
        var latencies = Latencies()
        for _ in 0..<Self.searches {
            let body = ["query": question()]
            let asked = ContinuousClock.now
            try await person.account.perform("search", .post("/v1/search", body))
            latencies.record(nanoseconds: Int64((ContinuousClock.now - asked).seconds * 1e9))
            subject.progress.advance()
        }
        return latencies
    }

    /// How fast the indexer is where nothing else is done.
    private func indexingRate(_ subject: Subject) async throws -> Double {
        try await subject.server.withDatabase { connection in
            let taken = try await connection.query(
                """
                UPDATE read_live.search_chunks k SET words = NULL, dictionary = NULL
                FROM (
                    SELECT x.conversation_id, x.chunk FROM read_live.search_chunks x
                    WHERE x.words IS NOT NULL LIMIT \(Self.reindexed)
                ) x
                WHERE k.conversation_id = x.conversation_id AND k.chunk = x.chunk
                RETURNING k.chunk
                """
            )
            let began = ContinuousClock.now
            while true {
                let rows = try await connection.query(
                    """
                    SELECT count(*) FROM read_live.search_chunks k
                    WHERE k.words IS NULL AND k.last_at IS NOT NULL
                    """
                )
                if try rows.first?.decode(0, as: Int64.self) == 0 { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            return Double(taken.count * 32) / (ContinuousClock.now - began).seconds
        }
    }
}

/// Words as people use them: a few of them everywhere, most of them rarely (Zipf's law), the same for the same seed.
struct DrawnWords {
    private static let count = 50_000
    private static let syllables = [
        "ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu", "pan", "tor", "mel", "gis", "dun", "kar",
    ]

    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A dozen words, more or less.
    mutating func message() -> String {
        (0..<Int.random(in: 4...20, using: &random)).map { _ in word() }.joined(separator: " ")
    }

    /// One word, or two that may be said together.
    mutating func question() -> String {
        Bool.random(using: &random) ? word() : "\(word()) \(word())"
    }

    /// A word with a mistake in it, or a part of one.
    mutating func misspelled() -> String {
        var letters = Array(word())
        guard letters.count > 4, Bool.random(using: &random) else { return String(letters.dropLast()) }
        letters.swapAt(2, 3)
        return String(letters)
    }

    /// Of rank `r` with a probability of about 1 ÷ r.
    private mutating func word() -> String {
        let rank = exp(Double.random(in: 0..<1, using: &random) * log(Double(Self.count)))
        var rest = Int(rank)
        var word = ""
        repeat {
            word += Self.syllables[rest % Self.syllables.count]
            rest /= Self.syllables.count
        } while rest > 0
        return word
    }
}
