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
            let steps = Mutex<[RebuildProgress]>([])
            let report = try await server.rebuild().run { step in steps.withLock { $0.append(step) } }
            #expect(report.tables.count == ReadTable.allCases.count)
            #expect(report.tables.allSatisfy { $0.isEqual == true })
            let heads = try await server.store.log.heads().reduce(0, +)
            #expect(report.events == heads)
            let last = try #require(steps.withLock { $0.last })
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
            let report = try await server.rebuild().run()
            #expect(report.tables.filter { $0.isEqual == false }.map(\.table) == [.messages, .unreadCounts])
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
                            #expect(entry.timeline.items.last?.seq == entry.conversation.headSeq)
                        }
                    }
                }
                for _ in 0..<3 {
                    let report = try await server.rebuild().run()
                    #expect(report.tables.allSatisfy { $0.isEqual != false })
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
            let interrupted = Task {
                try await server.rebuild().run { progress in
                    if progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            _ = await interrupted.result
            try await TestDatabase.current.administrator.execute(
                "CREATE SCHEMA IF NOT EXISTS read_old AUTHORIZATION parley_owner"
            )
            let report = try await server.rebuild().run()
            #expect(report.tables.allSatisfy { $0.isEqual == true })
            try await expectNothingLeft()
        }
    }

    @Test func `a rebuild without a server projects the whole log`() async throws {
        try await TestServer.with(projecting: false) { server in
            try await begin(server, projecting: false)
            let report = try await server.rebuild().run()
            #expect(report.tables.allSatisfy { $0.isEqual == nil && $0.rowsBefore == 0 })
            let verified = try await server.verification().run()
            #expect(verified.findings == [])
            #expect(verified.positions == (try await server.store.log.heads()))
        }
    }

    @Test func `the switch waits for those who are reading a snapshot`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let administrator = TestDatabase.current.administrator
            try await administrator.withTransaction(.repeatableRead, readOnly: true) { reader in
                try await reader.execute("LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE")
                let before = try await reader.query("SELECT seq FROM read_live.messages")
                async let report = server.rebuild().run()
                var isWaiting = false
                while !isWaiting {
                    let waiting = try await administrator.query(
                        """
                        SELECT FROM pg_locks l
                        JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                        WHERE l.mode = 'AccessExclusiveLock' AND NOT l.granted
                        """
                    )
                    isWaiting = !waiting.isEmpty
                }
                let after = try await reader.query("SELECT seq FROM read_live.messages")
                #expect(after.count == before.count)
                try await reader.execute("ROLLBACK")
                #expect(try await report.tables.allSatisfy { $0.isEqual == true })
                try await reader.execute("BEGIN")
            }
            #expect(try await server.verification().run().findings == [])
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
