import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

@Suite(.database) struct MentionsOfAllTests {
    private let database = TestDatabase.current

    private func count(_ table: ReadTable) async throws -> Int? {
        try await database.pool.query("SELECT count(*) AS rows FROM \(table.name(in: .live))").first?.decode("rows")
    }

    @Test func `a message to everyone is one row, whatever the number of members`() async throws {
        let members = (0..<500).map { _ in UUID() }
        let room = UUID()
        var log = TestLog()
        log.startGroup(room, members)
        log.send("One", seq: 1, to: room, by: members[0], mentions: Array(members[1...3]), mentionsAll: true)
        log.send("Two", seq: 2, to: room, by: members[0], mentions: Array(members[1...3]))
        try await log.project()
        #expect(try await count(.mentionsOfAll) == 1)
        #expect(try await count(.mentions) == 3)
        let queries = Queries(pool: database.pool, partitions: log.partitions)
        let keys = members.map { UnreadKey(user: $0, conversation: room) }
        var counts: [UUID: Int] = [:]
        for state in try await queries.unread(keys) { counts[state.key.user] = state.mentionCount }
        #expect(members.map { counts[$0] } == [0, 2, 2, 2] + Array(repeating: 1, count: 496))
        let message = try await queries.messages([1], in: room, for: members[9])[1]
        #expect(message?.mentions == [.all] + members[1...3].map { .user(WireID($0)) })
    }

    @Test func `a mention of everyone that is not counted is found`() async throws {
        let people = (0..<3).map { _ in UUID() }
        let room = UUID()
        var log = TestLog()
        log.startGroup(room, people)
        log.send("One", seq: 1, to: room, by: people[0], mentionsAll: true)
        log.send("Two", seq: 2, to: room, by: people[0], mentionsAll: true)
        log.delete(2, of: room, sentBy: people[0], by: people[0])
        try await log.project()
        let verification = Verification(pool: database.pool, partitions: log.partitions, includingLog: false)
        #expect(try await verification.run().findings == [])
        _ = try await database.administrator.query("DELETE FROM read_live.mentions_of_all a WHERE a.seq = 1")
        #expect(try await verification.run().findings.count == 1)
    }
}
