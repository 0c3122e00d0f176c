import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

/// What is parked comes back, or is left out for good.
@Suite(.database, .timeLimit(.minutes(10))) struct UnparkingTests {
    let people = (0..<4).map { _ in UUID() }
    let room = UUID()
    let other = UUID()

    private func begin(_ server: TestServer) async throws {
        try await server.register(people)
        for room in [room, other] {
            try await server.startGroup(room, Array(people.prefix(3)))
            try await server.send("one", to: room, by: people[0])
        }
        try await server.waitForProjector()
    }

    private func parked() async throws -> [ParkedStream] {
        try await TestDatabase.current.pool.withConnection { try await ParkedStream.read(on: $0) }
    }

    private func refuse(_ table: ReadTable, _ condition: SQL) async throws {
        try await TestDatabase.current.administrator.execute(
            "ALTER TABLE \(table.name(in: .live)) ADD CONSTRAINT refusal CHECK (\(condition)) NOT VALID"
        )
    }

    private func accept(_ table: ReadTable) async throws {
        try await TestDatabase.current.administrator.execute(
            "ALTER TABLE \(table.name(in: .live)) DROP CONSTRAINT refusal"
        )
    }

    /// Talk in which the order of all that happens counts: reading, leaving, coming back, being erased from the middle.
    private func talk(_ server: TestServer) async throws {
        for room in [room, other] {
            try await server.send("poison", to: room, by: people[1])
            try await server.handle(
                .join(Join(person: people[3], maxMembers: 9)),
                on: room,
                by: people[3]
            )
            try await server.send("two", to: room, by: people[3])
            try await advance(people[0], to: 3, server, room)
            try await server.handle(.leave(person: people[2]), on: room, by: people[2])
            try await server.send("three", to: room, by: people[0])
            try await advance(people[1], to: 4, server, room)
            try await server.handle(.leave(person: people[3]), on: room, by: people[3])
            try await server.handle(.join(Join(person: people[3], maxMembers: 9)), on: room, by: people[3])
            try await server.send("four", to: room, by: people[1])
        }
    }

    private func advance(_ person: UUID, to seq: Int64, _ server: TestServer, _ room: UUID) async throws {
        let read = ReceiptAdvance(person: person, deliveredSeq: nil, readSeq: seq)
        try await server.handle(.advanceReceipts([read]), on: room, by: person)
    }

    private func expectRebuilt(_ server: TestServer) async throws {
        let comparison = try #require(try await server.rebuild().run(verifying: true).comparison)
        #expect(comparison.filter { !$0.isEqual }.map(\.table) == [])
    }

    private static let refusals: [(ReadTable, SQL)] = [
        (.messages, "text <> 'poison'"), (.unreadCounts, "own_after < 1"), (.memberships, "to_position IS NULL"),
        (.watermarks, "read_seq < 4"), (.conversations, "head_seq < 3"), (.receiptRanges, "to_seq < 3"),
    ]

    @Test(arguments: refusals.indices)
    func `a retry gives what a rebuild gives, whichever table had refused an event`(place: Int) async throws {
        let (table, condition) = Self.refusals[place]
        try await TestServer.with { server in
            try await begin(server)
            try await refuse(table, condition)
            try await talk(server)
            try await server.waitForProjector()
            let before = try await parked()
            #expect(Set(before.map(\.stream.id)) == [room, other])
            #expect(before.allSatisfy { $0.attempts == 1 })

            // While the cause is there it stays, and is counted.
            let inVain = try await server.unparking().run(nil, projection: nil)
            #expect(inVain.tried == before)
            #expect(inVain.left.map(\.attempts) == before.map { _ in 2 })

            try await accept(table)
            let report = try await server.unparking().run(nil, projection: nil)
            #expect(report.left == [])
            #expect(try await server.verification().run().findings == [])
            try await expectRebuilt(server)
        }
    }

    @Test func `a projector that has a stream for parked notices that it is not`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await refuse(.messages, "text <> 'poison'")
            try await talk(server)
            try await server.waitForProjector()
            try await accept(.messages)
            _ = try await server.unparking().run(room, projection: "messages")
            #expect(Set(try await parked().map(\.stream.id)) == [other])
            for _ in 0..<3 {
                try await server.send("five", to: room, by: people[0])
                try await server.send("five", to: other, by: people[0])
            }
            try await server.waitForProjector()
            // What was not asked for is parked as before, and counts on.
            #expect(try await parked().map(\.stream.id) == [other])
            #expect(try await server.verification().run().findings.allSatisfy { !$0.examples.contains("\(room)") })
            let rows = try await TestDatabase.current.pool.query(
                "SELECT seq FROM read_live.messages WHERE conversation_id = \(room) ORDER BY seq"
            )
            #expect(try rows.map { try $0.decode("seq", as: Int.self) } == Array(1...8))
        }
    }

    @Test func `people talk on while it is retried`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await refuse(.unreadCounts, "own_after < 1")
            try await talk(server)
            try await server.waitForProjector()
            try await accept(.unreadCounts)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for index in 0..<60 { try await server.send("on \(index)", to: room, by: people[index % 2]) }
                }
                for _ in 0..<5 { _ = try await server.unparking().run(room, projection: nil) }
                try await group.waitForAll()
            }
            try await server.waitForProjector()
            _ = try await server.unparking().run(other, projection: nil)
            #expect(try await parked() == [])
            #expect(try await server.verification().run().findings == [])
            try await expectRebuilt(server)
        }
    }

    @Test func `a skipped event is left out by every rebuild, and who skipped it and why is kept`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await refuse(.messages, "text <> 'poison'")
            try await talk(server)
            try await server.waitForProjector()
            let before = try await parked()
            let skip = Unparking.Skip(reason: "nobody misses it", by: "grace")
            let report = try await server.unparking().run(room, projection: "messages", skip: skip)
            #expect(report.left == [])
            #expect(try await parked().map(\.stream.id) == [other])
            let rows = try await TestDatabase.current.pool.query(
                "SELECT seq FROM read_live.messages WHERE conversation_id = \(room) ORDER BY seq"
            )
            #expect(try rows.map { try $0.decode("seq", as: Int.self) } == [1, 3, 4, 5])
            let skipped = try await TestDatabase.current.pool.withConnection { try await SkippedEvent.read(on: $0) }
            #expect(skipped.map(\.position) == before.filter { $0.stream.id == room }.map(\.position))
            #expect(skipped.map(\.reason) == ["nobody misses it"] && skipped.map(\.skippedBy) == ["grace"])

            // The rebuild's tables refuse nothing; only what was skipped is left out.
            try await accept(.messages)
            _ = try await server.unparking().run(other, projection: nil)
            try await expectRebuilt(server)
            let rebuilt = try await TestDatabase.current.pool.query(
                "SELECT FROM read_live.messages WHERE text = 'poison'"
            )
            #expect(rebuilt.count == 1)
        }
    }

    @Test func `what is parked stays countable through a rebuild that cannot take it either`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            // In the log itself: a message that says nothing of its place.
            try await TestDatabase.current.administrator.execute(
                """
                INSERT INTO parley.events (
                    position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, schema_version,
                    category, type, payload)
                SELECT (SELECT max(x.position) + 1 FROM parley.events x WHERE x.partition = e.partition), e.version + 1,
                    now(), e.partition, 0, e.stream_id, gen_random_uuid(), e.actor, 1, e.category, e.type, '{}'
                FROM parley.events e
                WHERE e.stream_id = \(room) AND e.category = 'conversation'
                ORDER BY e.version DESC LIMIT 1
                """
            )
            try await server.store.feed.poll()
            try await server.waitForProjector()
            let before = try await parked()
            #expect(
                before.map(\.projection).sorted() == [
                    "blocks", "conversation-list", "hidden-messages", "messages", "reactions", "receipts", "search",
                    "system-messages",
                    "unread-counts",
                ]
            )
            _ = try await server.rebuild().run()
            #expect(try await parked().map(\.attempts) == before.map { _ in 2 })
        }
    }
}
