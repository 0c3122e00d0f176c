import EventSourcing
import Foundation
import Logging
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

    private func open() async throws -> PartitionWriter {
        try await TestDatabase.current.pool.withConnection { connection in
            try await PartitionWriter.open(partition: 0, in: .live, on: connection)
        }
    }

    private func write(_ events: [RecordedEvent], _ writer: inout PartitionWriter) async throws {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: .init(label: "test")
        )
        do {
            try await writer.write(events, on: connection)
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }

    private var log: TestLog {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace, alan])
        for seq in 1...5 { log.send("Message \(seq)", seq: Int64(seq), to: room, by: ada) }
        return log
    }

    @Test func `who was overtaken writes nothing and takes up the work behind the other`() async throws {
        let events = log.events[0]
        var fast = try await open()
        var slow = try await open()
        try await write(Array(events.prefix(4)), &fast)
        await #expect(throws: Checkpoint.Overtaken.self) { try await write(Array(events.prefix(2)), &slow) }
        slow = try await open()
        #expect(slow.position == 4)
        try await write(Array(events.dropFirst(4)), &slow)
        await #expect(throws: Checkpoint.Overtaken.self) { try await write(Array(events.dropFirst(4)), &fast) }
        let rows = try await TestDatabase.current.pool.query("SELECT count(*) AS n FROM read_live.messages")
        #expect(try rows.first?.decode("n", as: Int.self) == 5)
    }

    @Test func `an event that is missing is never skipped`() async throws {
        let events = log.events[0]
        var writer = try await open()
        try await write(Array(events.prefix(2)), &writer)
        await #expect(throws: ProjectionError.notContiguous(partition: 0, expected: 3, found: 4)) {
            try await write(Array(events.dropFirst(3)), &writer)
        }
        await #expect(throws: ProjectionError.notContiguous(partition: 0, expected: 3, found: 1)) {
            try await write(events, &writer)
        }
        await #expect(throws: ProjectionError.notContiguous(partition: 0, expected: 4, found: 5)) {
            try await write([events[2], events[4]], &writer)
        }
        try await write(Array(events.dropFirst(2)), &writer)
        #expect(writer.position == 6)
    }

    @Test func `a partition without a checkpoint, as after a rebuild, is begun by one worker`() async throws {
        let events = log.events[0]
        var early = try await open()
        try await TestDatabase.current.administrator.execute("DELETE FROM read_live.checkpoints")
        await #expect(throws: Checkpoint.Overtaken.self) { try await write(events, &early) }
        let opened = try await withThrowingTaskGroup(of: PartitionWriter.self) { group in
            for _ in 0..<8 { group.addTask { try await open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(opened.allSatisfy { $0.position == 0 })
        var (first, second) = (opened[0], opened[1])
        try await write(events, &first)
        await #expect(throws: Checkpoint.Overtaken.self) { try await write(events, &second) }
        let rows = try await TestDatabase.current.pool.query("SELECT position FROM read_live.checkpoints")
        #expect(try rows.map { try $0.decode("position", as: Int.self) } == [6])
    }

    @Test func `of partitions written together none is written where a worker was faster with one`() async throws {
        var log = TestLog(partitions: 4)
        for _ in 0..<40 { log.startGroup(UUID(), [ada, grace, alan]) }
        #expect(log.events.allSatisfy { $0.count > 1 })
        try await TestDatabase.current.pool.withConnection { [log] connection in
            var writers: [PartitionWriter] = []
            for partition in 0..<4 {
                writers.append(try await PartitionWriter.open(partition: partition, in: .live, on: connection))
            }
            var other = writers[2]
            try await other.write([log.events[2][0]], on: connection)
            let turns = writers.indices.map { PartitionWriter.Turn(place: $0, events: log.events[$0]) }
            await #expect(throws: Checkpoint.Overtaken.self) {
                _ = try await PartitionWriter.writeTogether(turns, of: &writers, on: connection)
            }
            #expect(writers.map(\.position) == [0, 0, 0, 0])
            let rows = try await connection.query("SELECT count(*) AS n FROM read_live.conversations")
            #expect(try rows.first?.decode("n", as: Int.self) == 1)
            writers[2] = other
            let rest = turns.map { turn in
                PartitionWriter.Turn(place: turn.place, events: Array(turn.events.dropFirst(turn.place == 2 ? 1 : 0)))
            }
            #expect(try await PartitionWriter.writeTogether(rest, of: &writers, on: connection))
            #expect(writers.map(\.position) == log.events.map { Int64($0.count) })
        }
    }

    @Test func `a batch with very many rows is written in several transactions`() async throws {
        var log = TestLog(partitions: 1)
        let many = (0..<3_000).map { _ in UUID() }
        for _ in 0..<3 { log.startGroup(UUID(), many) }
        var writer = try await open()
        try await write(log.events[0], &writer)
        #expect(writer.position == 3)
        let rows = try await TestDatabase.current.pool.query("SELECT count(*) AS n FROM read_live.memberships")
        #expect(try rows.first?.decode("n", as: Int.self) == 9_000)
    }

    @Test func `while a snapshot is held, nobody passes the old versions of a row`() async throws {
        var log = self.log
        for seq in 6...200 { log.send("Message \(seq)", seq: Int64(seq), to: room, by: ada) }
        let events = log.events[0]
        let writer = try await open()
        try await TestDatabase.current.administrator.withTransaction(.repeatableRead) { holding in
            _ = try await holding.query("SELECT count(*) FROM read_live.conversations")
            let before = try await indexEntriesRead()
            var writer = writer
            try await TestDatabase.current.pool.withConnection { connection in
                for event in events { try await writer.write([event], on: connection) }
                // Others are told at the end of a session at the latest, here at once.
                try await connection.execute("SELECT pg_stat_force_next_flush()")
            }
            let read = try await indexEntriesRead().merging(before) { $0 - $1 }
            #expect(read.keys.sorted() == ["checkpoints_pkey", "conversations_pkey", "unread_counts_pkey"])
            let few = events.count / 2...events.count * 2
            for (index, entries) in read { #expect(few.contains(entries), "\(index)") }
        }
    }

    private func indexEntriesRead() async throws -> [String: Int] {
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT indexrelname::text AS index, idx_tup_read AS entries FROM pg_stat_user_indexes
            WHERE indexrelname IN ('checkpoints_pkey', 'conversations_pkey', 'unread_counts_pkey')
            """
        )
        return Dictionary(
            try rows.map { (try $0.decode("index", as: String.self), try $0.decode("entries", as: Int.self)) }
        ) { first, _ in first }
    }

    @Test func `marks of one batch keep their order around leaving and rejoining`() async throws {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace, alan])
        log.send("one", seq: 1, to: room, by: ada)
        log.mark(grace, in: room, delivered: 1, read: 0)
        log.mark(grace, in: room, delivered: 1, read: 1)
        log.send("two", seq: 2, to: room, by: grace)
        log.remove(grace, from: room, headSeq: 2, by: ada)
        log.mark(grace, in: room, delivered: 2, read: 2)
        log.send("three", seq: 3, to: room, by: ada)
        log.add(grace, to: room, headSeq: 3, by: ada)
        log.send("four", seq: 4, to: room, by: ada)
        log.send("five", seq: 5, to: room, by: grace)
        log.mark(grace, in: room, delivered: 3, read: 2)
        log.mark(grace, in: room, delivered: 4, read: 4)
        try await log.project()
        let spans = try await TestDatabase.current.pool.query(
            """
            SELECT from_seq, to_seq, delivered_seq, read_seq FROM read_live.watermarks WHERE user_id = \(grace)
            ORDER BY from_position
            """
        ).map { row in
            [
                try row.decode("from_seq", as: Int?.self), try row.decode("to_seq", as: Int?.self),
                try row.decode("delivered_seq", as: Int?.self), try row.decode("read_seq", as: Int?.self),
            ]
        }
        #expect(spans == [[0, 2, 1, 1], [3, nil, 4, 4]])
        let unread = try await TestDatabase.current.pool.query(
            "SELECT read_seq, own_after FROM read_live.unread_counts WHERE user_id = \(grace)"
        )
        #expect(try unread.first?.decode("read_seq", as: Int.self) == 4)
        #expect(try unread.first?.decode("own_after", as: Int.self) == 1)
    }
}
