import EventSourcing
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

/// Taking what an erased person said out of long histories.
@Suite(.database, .timeLimit(.minutes(10))) struct TextErasureTests {
    let ada = UUID()
    let grace = UUID()
    let room = UUID()

    /// More messages than one piece passes, several times, half of them Ada's; then she is erased.
    private func history() -> (log: TestLog, erasure: RecordedEvent) {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace])
        for seq in 1...12_000 { log.send("m", seq: Int64(seq), to: room, by: seq.isMultiple(of: 2) ? ada : grace) }
        let erasure = log.record(
            ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 12_000)),
            on: room,
            by: ada
        )
        return (log, erasure)
    }

    private func texts(of person: UUID) async throws -> Int {
        let rows = try await TestDatabase.current.pool.query(
            "SELECT count(*) AS n FROM read_live.messages WHERE sender_id = \(person) AND text IS NOT NULL"
        )
        return try rows.first?.decode("n") ?? 0
    }

    @Test func `goes on where it was cut short, and nobody's checkpoint passes it before it is over`() async throws {
        let (log, erasure) = history()
        let database = TestDatabase.current
        var configuration = PostgresConfiguration(url: database.url, role: "parley_server").projecting
        configuration.settings["lock_timeout"] = "200ms"
        let connection = try await PostgresConnection.connect(configuration, logger: TestServer.logger)
        var writer = try await PartitionWriter.open(partition: 0, in: .live, on: connection)
        for start in stride(from: 0, to: log.events[0].count - 1, by: 500) {
            let end = min(start + 500, log.events[0].count - 1)
            try await writer.write(Array(log.events[0][start..<end]), on: connection)
        }
        #expect(try await texts(of: ada) == 6_000)
        try await database.administrator.withTransaction { somebody in
            try await somebody.execute(
                "SELECT FROM read_live.messages WHERE conversation_id = \(room) AND seq = 11000 FOR UPDATE"
            )
            await #expect(throws: PostgresError.self) { try await writer.write([erasure], on: connection) }
        }
        // Two pieces of three are done; the event is still to come.
        #expect(try await texts(of: ada) == 1_000)
        #expect(writer.position == erasure.position - 1)
        try await writer.write([erasure], on: connection)
        await connection.close()
        #expect(writer.position == erasure.position)
        #expect(try await texts(of: ada) == 0)
        #expect(try await texts(of: grace) == 6_000)
    }

    @Test func `is not spared where she was erased after the events were read, and before the tables were begun`()
        async throws
    {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace])
        log.send("a secret", seq: 1, to: room, by: ada)
        let read = log.events[0]
        let erased = ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 1))
        let erasure = log.record(erased, on: room, by: ada)
        let administrator = TestDatabase.current.administrator
        let begun = try await administrator.query("SELECT clock_timestamp() AS now").first?.decode("now", as: Date.self)
        try await administrator.execute(
            "INSERT INTO parley.erasures (person_id, erased_at) VALUES (\(ada), clock_timestamp())"
        )
        try await TestDatabase.current.pool.withConnection { connection in
            var writer = try await PartitionWriter.open(partition: 0, in: .live, readingSince: begun, on: connection)
            try await writer.write(read, on: connection)
            #expect(try await texts(of: ada) == 1)
            try await writer.write([erasure], on: connection)
        }
        #expect(try await texts(of: ada) == 0)
    }

    @Test func `parked streams keep no text either, nor a group the name that the erased gave it`() async throws {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace], name: "Ada's secret")
        log.send("a secret", seq: 1, to: room, by: ada)
        log.record(.undecodable(type: "messageExploded", reason: "test"), category: .conversation, on: room, by: grace)
        log.send("another secret", seq: 2, to: room, by: ada)
        try await log.project()
        #expect(try await texts(of: ada) == 1)
        log.record(ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 2)), on: room, by: ada)
        try await log.project()
        #expect(try await texts(of: ada) == 0)
        let names = try await TestDatabase.current.pool.query(
            "SELECT FROM read_live.conversations WHERE group_name IS NOT NULL OR search_name IS NOT NULL"
        )
        #expect(names.isEmpty)
        let rows = try await TestDatabase.current.pool.query(
            "SELECT FROM read_live.system_messages s WHERE s.group_name IS NOT NULL"
        )
        #expect(rows.isEmpty)
        let parked = try await TestDatabase.current.pool.withConnection { try await ParkedStream.read(on: $0) }
        #expect(
            parked.map(\.projection) == [
                "blocks", "conversation-list", "hidden-messages", "messages", "reactions", "receipts", "search",
                "system-messages",
                "unread-counts",
            ]
        )
        #expect(parked.allSatisfy { $0.events == 3 })
    }

    @Test func `a text that is sent and erased in one batch never reaches the table`() async throws {
        var log = TestLog(partitions: 1)
        log.startGroup(room, [ada, grace])
        log.send("a secret", seq: 1, to: room, by: ada)
        log.record(ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 1)), on: room, by: ada)
        log.send("afterwards", seq: 2, to: room, by: grace)
        try await log.project()
        #expect(try await texts(of: ada) == 0)
        #expect(try await texts(of: grace) == 1)
    }
}
