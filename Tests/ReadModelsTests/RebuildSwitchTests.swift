import EventSourcing
import EventStore
import Foundation
import Postgres
import ReadModels
import TestSupport
import Testing

/// The moment in which new tables become the live ones.
@Suite(.database, .timeLimit(.minutes(10))) struct RebuildSwitchTests {
    private let people = (0..<3).map { _ in UUID() }
    private let room = UUID()

    @Test func `an event that a table refuses, and that comes in the very moment, parks its stream and no more`()
        async throws
    {
        try await TestServer.with(projecting: false) { server in
            try await server.register(people)
            try await server.startGroup(room, people)
            for index in 0..<20 { try await server.send("Message \(index)", to: room, by: people[index % 3]) }
            _ = try await server.rebuild().run()
            let partition = Int32(server.store.identity.partition(of: room))
            let (switching, signal) = AsyncStream.makeStream(of: Void.self)
            try await TestDatabase.current.administrator.withTransaction { projector in
                // As one that is about to write a batch.
                try await projector.execute("LOCK TABLE read_live.checkpoints IN ROW EXCLUSIVE MODE")
                async let report = server.rebuild().run(verifying: true) { progress in
                    if progress.phase == .switching { signal.yield() }
                }
                for await _ in switching { break }
                try await appendPoison(to: partition)
                try await projector.execute(
                    """
                    WITH taken AS (DELETE FROM read_live.checkpoints WHERE partition = \(partition) RETURNING position)
                    INSERT INTO read_live.checkpoints (partition, position) SELECT \(partition), position + 1 FROM taken
                    """
                )
                try await waitUntilSwitchWaits()
                try await projector.script("COMMIT")
                _ = try await report
                try await projector.script("BEGIN")
            }
            let parked = try await TestDatabase.current.pool.withConnection { try await ParkedStream.read(on: $0) }
            #expect(parked.map(\.stream.id) == [room])
            #expect(parked.map(\.error) == ["23505 memberships_current_key"])
            let verified = try await server.verification().run()
            #expect(verified.positions == (try await server.store.log.heads()))
        }
    }

    /// Somebody joins once more who is there already.
    private func appendPoison(to partition: Int32) async throws {
        try await TestDatabase.current.administrator.execute(
            """
            INSERT INTO parley.events (
                position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject,
                schema_version, category, type, payload)
            SELECT (SELECT max(x.position) + 1 FROM parley.events x WHERE x.partition = \(partition)), e.version + 1,
                now(), e.partition, 0, e.stream_id, gen_random_uuid(), e.actor, \(people[1]), 1, e.category,
                'participantAdded', json_build_object('person', \(people[1])::uuid, 'role', 'member', 'headSeq', 20)
            FROM parley.events e
            WHERE e.stream_id = \(room) AND e.category = 'conversation'
            ORDER BY e.version DESC LIMIT 1
            """
        )
    }

    private func waitUntilSwitchWaits() async throws {
        while try await TestDatabase.current.administrator.query(
            """
            SELECT FROM pg_locks l
            WHERE l.relation = 'read_live.checkpoints'::regclass AND l.mode = 'AccessExclusiveLock' AND NOT l.granted
            """
        ).isEmpty {
            await Task.pause()
        }
    }
}
