import EventSourcing
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct PoisonTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()
    let other = UUID()

    private struct Parked: Equatable {
        let projection: String
        let stream: UUID
        let position: Int64
        let events: Int64
        let error: String
    }

    private func parked() async throws -> [Parked] {
        try await TestDatabase.current.pool.query(
            "SELECT projection, stream_id, position, events, error FROM read_live.parked ORDER BY stream_id, projection"
        ).map { row in
            Parked(
                projection: try row.decode("projection"),
                stream: try row.decode("stream_id"),
                position: try row.decode("position"),
                events: try row.decode("events"),
                error: try row.decode("error")
            )
        }
    }

    private func texts(of room: UUID) async throws -> [String] {
        try await TestDatabase.current.pool.query(
            "SELECT text FROM read_live.messages WHERE conversation_id = \(room) ORDER BY seq"
        ).map { try $0.decode("text") }
    }

    /// Two conversations of one partition, the first of which has a message that its table refuses.
    private func logWithPoison() -> TestLog {
        var log = TestLog(partitions: 1)
        log.register(ada)
        log.startGroup(room, [ada, grace, alan])
        log.startGroup(other, [ada, grace, alan])
        log.send("one", seq: 1, to: room, by: ada)
        log.send("one", seq: 1, to: other, by: ada)
        // A second message 1: the history's key refuses it.
        log.send("poison", seq: 1, to: room, by: grace)
        log.send("two", seq: 2, to: other, by: grace)
        log.send("two", seq: 2, to: room, by: ada)
        log.mark(grace, in: other, delivered: 2, read: 2)
        return log
    }

    @Test(arguments: [1, 3, 100])
    func `an event that a table refuses parks its stream for that projection only`(batch: Int) async throws {
        let log = logWithPoison()
        try await log.project(batch: { batch })
        #expect(
            try await parked() == [
                Parked(projection: "messages", stream: room, position: 6, events: 2, error: "23505 messages_pkey")
            ]
        )
        #expect(try await texts(of: room) == ["one"])
        #expect(try await texts(of: other) == ["one", "two"])
        // The other read models go on with that stream.
        let heads = try await TestDatabase.current.pool.query(
            "SELECT head_seq, last_position FROM read_live.conversations ORDER BY last_position"
        )
        #expect(try heads.map { try $0.decode("last_position", as: Int.self) } == [8, 9])
        let checkpoint = try await TestDatabase.current.pool.query("SELECT position FROM read_live.checkpoints")
        #expect(try checkpoint.first?.decode("position", as: Int.self) == 9)
    }

    @Test func `an event that a table refuses parks its stream, and holds up no partition beside it`() async throws {
        var log = TestLog(partitions: 4)
        let rooms = (0..<12).map { _ in UUID() }
        for room in rooms {
            log.startGroup(room, [ada, grace, alan])
            log.send("one", seq: 1, to: room, by: ada)
        }
        log.send("poison", seq: 1, to: rooms[0], by: grace)
        for room in rooms { log.send("two", seq: 2, to: room, by: grace) }
        let rounds = try await log.projectTogether(batch: { 4 })
        #expect(rounds.apart > 0)
        #expect(try await parked().map(\.stream) == [rooms[0]])
        #expect(try await texts(of: rooms[0]) == ["one"])
        for room in rooms.dropFirst() { #expect(try await texts(of: room) == ["one", "two"]) }
    }

    @Test func `an event that cannot be read parks its stream for all who follow it`() async throws {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace, alan])
        log.send("one", seq: 1, to: room, by: ada)
        log.record(
            .undecodable(type: "messageExploded", reason: "unknown"),
            category: .conversation,
            on: room,
            by: ada
        )
        log.send("two", seq: 2, to: room, by: ada)
        log.mark(grace, in: room, delivered: 1, read: 1)
        log.startGroup(other, [ada, grace, alan])
        try await log.project()
        let parked = try await parked()
        #expect(
            parked.map(\.projection) == [
                "blocks", "conversation-list", "hidden-messages", "messages", "reactions", "receipts", "search",
                "system-messages",
                "unread-counts",
            ]
        )
        #expect(parked.allSatisfy { $0.position == 3 && $0.events == 2 && $0.error == "undecodable messageExploded" })
        #expect(try await texts(of: room) == ["one"])
        // The receipts are a stream of their own, and go on.
        let marks = try await TestDatabase.current.pool.query(
            "SELECT read_seq FROM read_live.watermarks WHERE conversation_id = \(room) AND user_id = \(grace)"
        )
        #expect(try marks.first?.decode("read_seq", as: Int.self) == 1)
        let rooms = try await TestDatabase.current.pool.query("SELECT FROM read_live.conversations")
        #expect(rooms.count == 2)
    }

    @Test func `a parked stream stays parked for the workers that come later`() async throws {
        var log = logWithPoison()
        try await log.project()
        log.send("three", seq: 3, to: room, by: ada)
        try await log.project()
        #expect(try await parked().map(\.events) == [3])
        #expect(try await texts(of: room) == ["one"])
    }

    @Test func `a text that no table can hold parks its stream`() async throws {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace, alan])
        log.startGroup(other, [ada, grace, alan])
        log.send("NUL \0 inside", seq: 1, to: room, by: ada)
        log.send("one", seq: 1, to: other, by: ada)
        try await log.project()
        #expect(try await parked().map(\.error) == ["NUL"])
        #expect(try await texts(of: other) == ["one"])
    }

    @Test func `nothing that was said is kept with a parked stream`() async throws {
        try await logWithPoison().project()
        let rows = try await TestDatabase.current.pool.query("SELECT p::text AS row FROM read_live.parked p")
        #expect(!rows.isEmpty)
        #expect(try rows.allSatisfy { !(try $0.decode("row", as: String.self).contains("poison")) })
    }
}
