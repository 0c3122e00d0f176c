import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

/// What read models do about an event that only a newer program knows.
@Suite(.database, .timeLimit(.minutes(10))) struct NewerEventTests {
    let people = (0..<3).map { _ in UUID() }

    private let unknown = UnknownEvent(type: "messageSent", schemaVersion: 99)

    @Test(arguments: [1, 3, 100])
    func `a writer takes what is before it, parks nothing and goes no further`(batch: Int) async throws {
        var log = TestLog(partitions: 1)
        let (room, other) = (UUID(), UUID())
        log.startGroup(room, people)
        log.startGroup(other, people)
        log.send("one", seq: 1, to: room, by: people[0])
        let unknown = UnknownEvent(type: "pollOpened", schemaVersion: 1)
        log.record(.unknown(unknown), category: .conversation, on: room, by: people[0])
        log.send("one", seq: 1, to: other, by: people[0])
        for _ in 0..<2 {
            await #expect(throws: ProjectionError.newerEvent(partition: 0, position: 4, unknown)) {
                try await log.project(batch: { batch })
            }
            #expect(try await position(of: 0) == 3)
        }
        #expect(try await messages() == 1)
        #expect(
            try await TestDatabase.current.administrator.withConnection { try await ParkedStream.read(on: $0) } == []
        )
    }

    @Test func `a partition stops in front of it, and says so; the others go on; a newer program passes it`()
        async throws
    {
        let rooms = Rooms()
        try await TestServer.with { server in
            let old = server
            try await begin(old, rooms)
            try await old.waitForProjector()
            let before = try await position(of: 0)
            try await insertUnknown(into: rooms.first(old))
            // Behind it in the same partition, and in another one of the same worker.
            try await old.send("held up", to: rooms.second(old), by: people[0])
            let free = try await old.send("free", to: rooms.third(old), by: people[0])
            #expect(try await old.checkpoints.wait(for: free.positions, timeout: .seconds(60)))
            let expected = "partition 0 stands before position \(before + 1): \(unknown)"
            try await expectNoted(expected)
            #expect(old.checkpoints.faults.map(\.description) == [expected])
            #expect(old.checkpoints.faults.allSatisfy { $0.isNewer })
            #expect(try await position(of: 0) == before)
            #expect(try await server.verification().run().findings == [])

            // The newer program: it has the schema version that the older one lacked.
            try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.execute("SET session_replication_role = replica")
                try await connection.execute("UPDATE parley.events SET schema_version = 1 WHERE schema_version = 99")
                try await connection.execute("RESET session_replication_role")
            }
            try await TestServer.with { newer in
                try await newer.waitForProjector()
                #expect(newer.checkpoints.faults.isEmpty)
            }
            // What the newer one has projected, the older one finds, and goes on behind it.
            try await old.waitForProjector()
            #expect(old.checkpoints.faults.isEmpty)
            let after = try await old.send("behind", to: rooms.second(old), by: people[0])
            #expect(try await old.checkpoints.wait(for: after.positions, timeout: .seconds(60)))
            #expect(try await TestDatabase.current.pool.withConnection { try await PartitionFaults.read(on: $0) } == [])
            #expect(try await server.verification().run().findings == [])
        }
    }

    @Test func `a rebuild gives up in front of it, and leaves the live read models as they are`() async throws {
        let rooms = Rooms()
        try await TestServer.with { server in
            try await begin(server, rooms)
            try await server.waitForProjector()
            let before = try await server.verification().run().digests
            let position = try await position(of: 0)
            try await insertUnknown(into: rooms.first(server))
            await #expect(throws: ProjectionError.newerEvent(partition: 0, position: position + 1, unknown)) {
                try await server.rebuild().run()
            }
            let schemas = try await TestDatabase.current.administrator.query(
                "SELECT FROM pg_namespace WHERE nspname LIKE 'read\\_%'"
            )
            #expect(schemas.count == 1)
            #expect(try await server.verification().run().digests == before)
        }
    }

    /// Three rooms: two in one partition, one in another partition of the same worker.
    private struct Rooms {
        private let ids = (0..<200).map { _ in UUID() }

        func first(_ server: TestServer) -> UUID { all(server, 0)[0] }
        func second(_ server: TestServer) -> UUID { all(server, 0)[1] }
        func third(_ server: TestServer) -> UUID { all(server, 2)[0] }

        private func all(_ server: TestServer, _ partition: Int) -> [UUID] {
            ids.filter { server.store.identity.partition(of: $0) == partition }
        }
    }

    private func begin(_ server: TestServer, _ rooms: Rooms) async throws {
        try await server.register(people)
        for room in [rooms.first(server), rooms.second(server), rooms.third(server)] {
            try await server.startGroup(room, people)
            try await server.send("Hello", to: room, by: people[0])
        }
    }

    /// A message like the newest one of the room, but of a schema version to come.
    private func insertUnknown(into room: UUID) async throws {
        try await TestDatabase.current.administrator.execute(
            """
            INSERT INTO parley.events (
                position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, schema_version, category,
                type, payload)
            SELECT (SELECT max(x.position) + 1 FROM parley.events x WHERE x.partition = e.partition), e.version + 1,
                now(), e.partition, 0, e.stream_id, gen_random_uuid(), e.actor, 99, e.category, e.type,
                (e.payload::jsonb || jsonb_build_object('seq', (e.payload->>'seq')::bigint + 1))::json
            FROM parley.events e
            WHERE e.stream_id = \(room) AND e.category = 'conversation'
            ORDER BY e.version DESC LIMIT 1
            """
        )
    }

    /// Waits until those who ask from outside are told.
    private func expectNoted(_ expected: String) async throws {
        var noted: [PartitionFaults.Noted] = []
        while noted.isEmpty {
            noted = try await TestDatabase.current.pool.withConnection { try await PartitionFaults.read(on: $0) }
        }
        #expect(noted.map(\.description) == [expected])
        #expect(noted.allSatisfy { $0.isNewer && $0.attempts >= 1 })
    }

    private func position(of partition: Int) async throws -> Int64 {
        let rows = try await TestDatabase.current.pool.query(
            "SELECT position FROM read_live.checkpoints WHERE partition = \(partition)"
        )
        return try rows.first?.decode("position") ?? 0
    }

    private func messages() async throws -> Int {
        try await TestDatabase.current.pool.query("SELECT FROM read_live.messages").count
    }
}
