import EventSourcing
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct PartitionWriterTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    @Test func `a batch writes all read models and the checkpoint`() async throws {
        var log = TestLog()
        log.register(ada, name: "Ada Lovelace")
        log.startGroup(room, [ada, grace, alan])
        log.send("Hello", seq: 1, to: room, by: ada, mentions: [grace])
        log.mark(grace, in: room, delivered: 1, read: 1)
        log.remove(alan, from: room, headSeq: 1, by: ada)
        log.add(alan, to: room, headSeq: 1, by: ada)
        try await log.project()
        let pool = TestDatabase.current.pool
        let head = try #require(
            try await pool.query("SELECT head_seq, member_count, last_position FROM read_live.conversations").first
        )
        #expect(try head.decode("head_seq", as: Int.self) == 1)
        #expect(try head.decode("member_count", as: Int.self) == 3)
        let spans = try await pool.query("SELECT * FROM read_live.memberships WHERE user_id = \(alan)")
        #expect(spans.count == 2)
        let ranges = try await pool.query("SELECT * FROM read_live.receipt_ranges")
        #expect(ranges.count == 2)
    }
}
