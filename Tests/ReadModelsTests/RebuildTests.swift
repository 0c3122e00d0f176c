import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct RebuildTests {
    let people = (0..<3).map { _ in UUID() }
    let rooms = (0..<5).map { _ in UUID() }

    private func begin(_ server: TestServer, projecting: Bool = true) async throws {
        try await server.register(people)
        for room in rooms {
            try await server.startGroup(room, people)
            for index in 0..<30 { try await server.send("Message \(index)", to: room, by: people[index % 3]) }
            let read = ReceiptAdvance(person: people[1], deliveredSeq: 20, readSeq: 10)
            try await server.handle(.advanceReceipts([read]), on: room, by: people[1])
        }
        if projecting { try await server.waitForProjector() }
    }

    @Test func `rebuilt read models are those that were there before`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let before = try await server.verification().run()
            let steps = Steps()
            let report = try await server.rebuild().run(verifying: true) { steps.add($0) }
            let comparison = try #require(report.comparison)
            #expect(comparison.map(\.table) == ReadTable.allCases)
            #expect(comparison.allSatisfy { $0.isEqual && $0.rowsAfter == $0.rowsBefore })
            #expect(comparison.contains { $0.rowsAfter > 100 })
            let heads = try await server.store.log.heads().reduce(0, +)
            #expect(report.events == heads)
            let last = try #require(steps.last)
            #expect(last.done == heads && last.total == heads)
            let after = try await server.verification().run()
            #expect(after.findings == [])
            #expect(after.digests == before.digests)
            try await expectNothingLeft()
        }
    }

    @Test func `a rebuild repairs what contradicts, and says what was different`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await TestDatabase.current.administrator.execute("UPDATE read_live.unread_counts SET own_after = 7")
            try await TestDatabase.current.administrator.execute("DELETE FROM read_live.messages WHERE seq = 3")
            let broken = try await server.verification().run()
            #expect(broken.findings.map(\.rule).contains("unread counts are what counting gives"))
            #expect(
                broken.findings.map(\.rule).contains("messages run 1, 2, 3, … up to the head of their conversation")
            )
            let comparison = try #require(try await server.rebuild().run(verifying: true).comparison)
            #expect(comparison.filter { !$0.isEqual }.map(\.table) == [.messages, .unreadCounts])
            #expect(try await server.verification().run().findings == [])
        }
    }

    @Test func `people talk and read while read models are rebuilt`() async throws {
        try await TestServer.with { [people, rooms] server in
            try await begin(server)
            let done = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for room in rooms {
                    group.addTask {
                        while !done.isSet {
                            let token = try await server.send("Talk", to: room, by: people[0])
                            #expect(try await server.checkpoints.wait(for: token.positions, timeout: .seconds(60)))
                            let seen = try await server.queries.conversation(room, for: people[1])
                            #expect(seen?.lastMessage?.text == "Talk")
                        }
                    }
                }
                group.addTask {
                    var newest = [Int64](repeating: 0, count: 4)
                    while !done.isSet {
                        let snapshot = try await server.queries.snapshot(for: people[2], window: 50, timelineLimit: 5)
                        let positions = try #require(snapshot?.positions)
                        #expect(zip(positions, newest).allSatisfy { $0 >= $1 }, "a switch never goes back")
                        newest = positions
                        #expect(snapshot?.entries.count == 5)
                        for entry in snapshot?.entries ?? [] {
                            let newest = entry.timeline.items.compactMap(\.seq).last
                            #expect(newest == nil || newest == entry.conversation.headSeq)
                        }
                    }
                }
                for _ in 0..<3 {
                    let report = try await server.rebuild().run(verifying: true)
                    // While people talk, too: both are compared at one position.
                    let comparison = try #require(report.comparison)
                    #expect(comparison.allSatisfy { $0.isEqual })
                }
                done.set()
                try await group.waitForAll()
            }
            try await server.waitForProjector()
            #expect(try await server.verification().run().findings == [])
            try await expectNothingLeft()
        }
    }

    @Test func `what an interrupted rebuild left behind is built anew`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let administrator = TestDatabase.current.administrator
            let steps = Steps()
            try await administrator.withTransaction { backup in
                // All is built, and nothing may be switched.
                try await backup.execute("LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE")
                let interrupted = Task { try await server.rebuild().run { steps.add($0) } }
                while steps.last?.phase != .switching { await Task.yield() }
                interrupted.cancel()
                await #expect(throws: (any Error).self) { try await interrupted.value }
            }
            // Its session frees the lock when it has ended.
            while try await !administrator.query(
                """
                SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE d.datname = current_database() AND l.locktype = 'advisory'
                    AND (l.classid::bigint << 32 | l.objid::bigint) = \(Int64(0x72_6562_7569_6c64))
                """
            ).isEmpty { await Task.pause() }
            for schema: SQL in ["read_next", "read_old"] {
                try await administrator.execute("CREATE SCHEMA IF NOT EXISTS \(schema) AUTHORIZATION parley_owner")
            }
            let comparison = try #require(try await server.rebuild().run(verifying: true).comparison)
            #expect(comparison.allSatisfy { $0.isEqual })
            try await expectNothingLeft()
        }
    }

    @Test func `a rebuild without a server projects the whole log`() async throws {
        try await TestServer.with(projecting: false) { server in
            try await begin(server, projecting: false)
            #expect(try await server.rebuild().run().comparison == nil)
            let verified = try await server.verification().run()
            #expect(verified.findings == [])
            #expect(verified.positions == (try await server.store.log.heads()))
        }
    }

    @Test func `a long backup beside a rebuild keeps its tables, and holds up nobody`() async throws {
        try await TestServer.with { [people, rooms] server in
            try await begin(server)
            let administrator = TestDatabase.current.administrator
            let steps = Steps()
            try await administrator.withTransaction(.repeatableRead, readOnly: true) { backup in
                try await backup.execute("LOCK TABLE read_live.checkpoints, read_live.messages IN ACCESS SHARE MODE")
                let before = try await backup.query("SELECT seq FROM read_live.messages")
                async let report = server.rebuild().run(verifying: true) { steps.add($0) }
                while steps.last?.phase != .switching { await Task.yield() }
                // While the switch tries and tries, people write, what they write is projected, and others read snapshots.
                for index in 0..<20 {
                    let token = try await server.send("Beside \(index)", to: rooms[0], by: people[0])
                    #expect(try await server.checkpoints.wait(for: token.positions, timeout: .seconds(60)))
                    let snapshot = try await server.queries.snapshot(for: people[2], window: 50, timelineLimit: 5)
                    #expect(snapshot?.entries.count == 5)
                }
                #expect(try await backup.query("SELECT seq FROM read_live.messages").count == before.count)
                try await backup.execute("ROLLBACK")
                let comparison = try #require(try await report.comparison)
                #expect(comparison.allSatisfy { $0.isEqual })
                try await backup.execute("BEGIN")
            }
            // Everything was built once.
            let events = try await server.store.log.heads().reduce(0, +)
            let last = try #require(steps.last)
            #expect(last.done == events && last.total == events)
            #expect(try await server.verification().run().findings == [])
            try await expectNothingLeft()
        }
    }

    @Test func `rebuilt tables have the indexes of those that they replace`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let before = try await indexes()
            #expect(before.count > 15)
            _ = try await server.rebuild().run()
            #expect(try await indexes() == before)
        }
    }

    @Test func `rebuilt tables have statistics, without which queries plan badly`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            _ = try await server.rebuild().run()
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT DISTINCT s.tablename::text AS name FROM pg_stats s WHERE s.schemaname = 'read_live'"
            )
            let analyzed = Set(try rows.map { try $0.decode("name", as: String.self) })
            let filled: [ReadTable] = [.messages, .conversations, .memberships, .unreadCounts, .watermarks, .users]
            #expect(analyzed.isSuperset(of: filled.map(\.rawValue)))
        }
    }

    private func indexes() async throws -> [String] {
        try await TestDatabase.current.administrator.query(
            """
            SELECT i.indexdef || coalesce(' ' || k.contype::text, '') AS definition FROM pg_indexes i
            LEFT JOIN pg_constraint k ON k.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass
            WHERE i.schemaname = 'read_live' ORDER BY i.indexname
            """
        ).map { try $0.decode("definition") }
    }

    @Test func `rows that an index refuses are found by a rebuild, too`() async throws {
        try await TestServer.with(projecting: false) { [people, rooms] server in
            try await begin(server, projecting: false)
            // The same person joins twice: the second one is refused by an index that is made at the end.
            let administrator = TestDatabase.current.administrator
            try await administrator.execute(
                """
                INSERT INTO parley.events (
                    position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, subject,
                    schema_version, category, type, payload)
                SELECT (SELECT max(x.position) + 1 FROM parley.events x WHERE x.partition = e.partition), e.version + 1,
                    now(), e.partition, 0, e.stream_id, gen_random_uuid(), e.actor, \(people[1]), 1, e.category,
                    'participantAdded',
                    json_build_object('person', \(people[1])::uuid, 'role', 'member', 'headSeq', 30)
                FROM parley.events e
                WHERE e.stream_id = \(rooms[0]) AND e.category = 'conversation'
                ORDER BY e.version DESC LIMIT 1
                """
            )
            let steps = Steps()
            _ = try await server.rebuild().run { steps.add($0) }
            let parked = try await administrator.withConnection { try await ParkedStream.read(on: $0) }
            #expect(parked.map(\.stream.id) == [rooms[0]])
            #expect(parked.map(\.error) == ["23505 memberships_current_key"])
            let events = try await server.store.log.heads().reduce(0, +)
            #expect(steps.last?.done == events)
            try await expectNothingLeft()
        }
    }

    @Test func `only one rebuild works at a time`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.execute("SELECT pg_advisory_lock(\(Int64(0x72_6562_7569_6c64)))")
                await #expect(throws: Rebuild.AlreadyRunning.self) { try await server.rebuild().run() }
                try await connection.execute("SELECT pg_advisory_unlock_all()")
            }
        }
    }

    private func expectNothingLeft() async throws {
        let rows = try await TestDatabase.current.administrator.query(
            "SELECT nspname::text AS name FROM pg_namespace WHERE nspname LIKE 'read\\_%' ORDER BY nspname"
        )
        #expect(try rows.map { try $0.decode("name", as: String.self) } == ["read_live"])
    }
}

/// Tells tasks that it is time to end.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() {
        state.withLock { $0 = true }
    }
}

/// What a rebuild told of its progress.
private final class Steps: Sendable {
    private let state = Mutex<[RebuildProgress]>([])

    var last: RebuildProgress? { state.withLock { $0.last } }

    func add(_ step: RebuildProgress) {
        state.withLock { $0.append(step) }
    }
}
