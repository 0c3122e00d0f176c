import Foundation
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

/// Answers that the people take more of than what they say.
@Suite(.database, .timeLimit(.minutes(10))) struct AnswerRoomTests {
    private let ada = UUID()

    private func queries(_ answerBytes: Int) -> Queries {
        Queries(pool: TestDatabase.current.pool, partitions: 4, answerBytes: answerBytes)
    }

    /// Adds so many people with long names.
    private func register(_ count: Int, in log: inout TestLog) -> [UUID] {
        let people = (0..<count).map { _ in UUID() }
        for (number, person) in people.enumerated() {
            log.register(person, name: "\(number) \(String(repeating: "n", count: 250))")
        }
        return people
    }

    @Test func `a list of groups of many people goes on in the next page`() async throws {
        var log = TestLog()
        log.register(ada, name: "Ada")
        var rooms: Set<UUID> = []
        for _ in 0..<6 {
            let room = UUID()
            let people = register(20, in: &log)
            log.startGroup(room, [ada] + people)
            rooms.insert(room)
        }
        try await log.project()
        let bytes = 40_000
        let queries = queries(bytes)
        var found: [UUID] = []
        var cursor: String?
        repeat {
            let page = try await queries.conversations(of: ada, filter: nil, matching: nil, after: cursor, limit: 50)
            #expect(JSONWriter.data(of: page).count <= bytes)
            #expect(page.items.count == 2)
            let named = page.items.flatMap { $0.participantIds ?? [] }
            #expect(Set(named) == page.users.map { Set($0.keys) })
            try #require(!page.items.isEmpty)
            found += page.items.map(\.id.uuid)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(found.count == rooms.count && Set(found) == rooms)

        let snapshot = try #require(try await queries.snapshot(for: ada, window: 50, timelineLimit: 20))
        #expect(snapshot.entries.map(\.conversation.id.uuid) == Array(found.prefix(2)))
        #expect(snapshot.users.count == 41)
        let next = try #require(snapshot.nextCursor)
        let rest = try await queries.conversations(of: ada, filter: nil, matching: nil, after: next, limit: 50)
        #expect(rest.items.map(\.id.uuid) == Array(found.dropFirst(2).prefix(2)))
    }

    @Test func `a history that names many people goes on in the next page, without holes`() async throws {
        var log = TestLog()
        let (grace, room) = (UUID(), UUID())
        log.register(ada, name: "Ada")
        log.register(grace, name: "Grace")
        let people = register(100, in: &log)
        log.startGroup(room, [ada, grace])
        for number in 0..<20 {
            let five = Array(people[(5 * number)..<(5 * number + 5)])
            log.send("All of you", seq: Int64(number + 1), to: room, by: grace, mentions: five)
        }
        try await log.project()
        let bytes = 10_000
        let queries = queries(bytes)
        func page(_ anchor: HistoryAnchor) async throws -> HistoryPage {
            let page = try #require(try await queries.history(of: room, for: ada, at: anchor, limit: 20))
            #expect(JSONWriter.data(of: page).count <= bytes)
            let named = page.items.flatMap(\.mentions).compactMap(\.userID)
            #expect(named.allSatisfy { page.users?[$0] != nil })
            #expect(page.users.map { $0.count <= named.count + 2 } == true)
            return page
        }
        var seqs: [Int64] = []
        var anchor = HistoryAnchor.newest
        while true {
            let older = try await page(anchor)
            try #require(!older.items.isEmpty)
            seqs = older.items.compactMap(\.seq) + seqs
            guard let cursor = older.page.olderCursor else { break }
            anchor = .before(cursor)
        }
        #expect(seqs == Array(1...20))
        let around = try await page(.around(.seq(10)))
        #expect(around.items.compactMap(\.seq) == [9, 10, 11])
        #expect(around.page.hasOlder && around.page.hasNewer)
    }
}
