import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import Postgres
import TestSupport
import Testing

/// Scenarios in which other event stores on PostgreSQL were reported to lose or reorder committed events.
///
/// They drive `parley.append`, and `parley.append_at`, the way of nearly all events, over raw connections, since in the
/// server no transaction stays open around them.
@Suite(.database) struct LossScenarioTests {
    let room = UUID()
    let actor = UUID()

    @Test func `a slow commit keeps later positions back`() async throws {
        // Marten #4953, Zitadel #12703, Axon #4829: a later position became visible first, and readers went past.
        try await TestStore.with(partitions: 1) { [self] store in
            let slow = try await connect()
            let fast = try await connect()
            try await slow.script("BEGIN")
            #expect(try await append(on: slow) == 1)
            async let second = append(on: fast)
            try await waitUntilBlocked(fast)
            #expect(try await store.everything().isEmpty)
            try await slow.script("COMMIT")
            #expect(try await second == 2)
            #expect(try await store.everything().map(\.position) == [1, 2])
            await slow.close()
            await fast.close()
        }
    }

    @Test func `an append that is rolled back leaves no hole`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let connection = try await connect()
            #expect(try await append(on: connection) == 1)
            try await connection.script("BEGIN")
            #expect(try await append(on: connection) == 2)
            try await connection.script("ROLLBACK")
            #expect(try await append(on: connection) == 2)
            #expect(try await store.everything().map(\.version) == [1, 2])
            await connection.close()
        }
    }

    @Test func `an older transaction that appends later comes later`() async throws {
        // Ordering by transaction id, as Emmett #336 and others do, would read version 2 before version 1.
        try await TestStore.with(partitions: 1) { [self] store in
            let older = try await connect()
            let younger = try await connect()
            try await older.script("BEGIN; SELECT pg_current_xact_id()")
            #expect(try await append(on: younger) == 1)
            #expect(try await append(on: older) == 2)
            try await older.script("COMMIT")
            let events = try await store.everything()
            #expect(events.map(\.version) == [1, 2])
            await older.close()
            await younger.close()
        }
    }

    @Test func `of twenty parallel appends that report success none is missing`() async throws {
        // Eventuous #582: all twenty reported success, ten were lost.
        try await TestStore.with(partitions: 1) { [self] store in
            let positions = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let connection = try await connect()
                        let position = try await append(on: connection)
                        await connection.close()
                        return position
                    }
                }
                return try await group.reduce(into: [Int64]()) { $0.append($1) }
            }
            #expect(positions.sorted() == Array(1...20))
            #expect(try await store.everything().map(\.version) == Array(1...20))
        }
    }

    @Test func `an expected version has one winner`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let outcomes = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let connection = try await connect()
                        let position = try await appendIfPossible(expected: 0, on: connection)
                        await connection.close()
                        return position
                    }
                }
                return try await group.reduce(into: [Int64?]()) { $0.append($1) }
            }
            #expect(outcomes.compactMap { $0 } == [1])
            #expect(try await store.everything().count == 1)
        }
    }

    @Test func `an open snapshot and an open write elsewhere hold nobody up`() async throws {
        // Stores that read below the oldest running transaction stall here, with every projection behind them.
        try await TestStore.with(partitions: 1) { [self] store in
            let snapshot = try await connect()
            try await snapshot.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM parley.events")
            let writer = try await connect()
            try await writer.script("BEGIN; CREATE TEMPORARY TABLE t (x int); SELECT pg_current_xact_id()")
            let connection = try await connect()
            #expect(try await append(on: connection) == 1)
            try await store.store.feed.poll()
            let seen = try await store.store.feed.events(partition: 0, after: 0, limit: 10).map(\.position)
            #expect(seen == [1])
            for open in [snapshot, writer, connection] { await open.close() }
        }
    }

    // MARK: At places that the lane knows

    @Test func `a slow commit at a known place keeps later ones back`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let (slow, fast) = (try await connect(), try await connect())
            try await slow.script("BEGIN")
            try await append(at: 1, on: slow)
            async let second: Void = append(at: 2, on: fast)
            try await waitUntilBlocked(fast)
            #expect(try await store.everything().isEmpty)
            try await slow.script("COMMIT")
            try await second
            #expect(try await store.everything().map(\.position) == [1, 2])
            for open in [slow, fast] { await open.close() }
        }
    }

    @Test func `a place behind one that was rolled back is refused`() async throws {
        // What a lane that misjudged a lost commit would do.
        try await TestStore.with(partitions: 1) { [self] store in
            let connection = try await connect()
            try await append(at: 1, on: connection)
            try await connection.script("BEGIN")
            try await append(at: 2, on: connection)
            try await connection.script("ROLLBACK")
            await #expect(throws: PostgresError.self) { try await append(at: 3, on: connection) }
            try await append(at: 2, on: connection)
            #expect(try await store.everything().map(\.version) == [1, 2])
            await connection.close()
        }
    }

    @Test(arguments: [(Int64(3), Int64(2)), (2, 3), (2, 1), (1, 2), (1, 1), (9, 9)])
    func `a place that is not right behind the heads is refused`(position: Int64, version: Int64) async throws {
        // What a memory would ask for that is ahead of the log, or behind it, after a failover.
        try await TestStore.with(partitions: 1) { [self] store in
            let connection = try await connect()
            try await append(at: 1, on: connection)
            await #expect(throws: PostgresError.self) {
                try await append(at: position, version: version, on: connection)
            }
            #expect(try await store.everything().map(\.position) == [1])
            try await append(at: 2, on: connection)
            #expect(try await store.everything().map(\.version) == [1, 2])
            await connection.close()
        }
    }

    @Test func `of twenty parallel appends at one place one wins`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let winners = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let connection = try await connect()
                        let result: Int
                        do {
                            try await append(at: 1, on: connection)
                            result = 1
                        } catch is PostgresError {
                            result = 0
                        }
                        await connection.close()
                        return result
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(winners == 1)
            #expect(try await store.everything().count == 1)
        }
    }

    @Test func `a place that an append elsewhere took is refused, on both ways in`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let (knowing, asking) = (try await connect(), try await connect())
            try await asking.script("BEGIN")
            #expect(try await append(on: asking) == 1)
            let late = Task { [self] in try await append(at: 1, on: knowing) }
            try await waitUntilBlocked(knowing)
            try await asking.script("COMMIT")
            await #expect(throws: PostgresError.self) { try await late.value }
            try await knowing.script("BEGIN")
            try await append(at: 2, on: knowing)
            async let next = append(on: asking)
            try await waitUntilBlocked(asking)
            try await knowing.script("COMMIT")
            #expect(try await next == 3)
            #expect(try await store.everything().map(\.version) == [1, 2, 3])
            for open in [knowing, asking] { await open.close() }
        }
    }

    @Test func `who waited for the append before theirs sees by then what it has appended`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let (first, second) = (try await connect(), try await connect())
            try await first.script("BEGIN")
            try await append(at: 1, on: first)
            let next = Task { [self] in try await append(at: 2, on: second) }
            try await waitUntilBlocked(second)
            try await first.script("COMMIT")
            try await next.value
            #expect(try await store.everything().map(\.version) == [1, 2])
            for open in [first, second] { await open.close() }
        }
    }

    @Test func `a command that the log has takes no second place`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            let connection = try await connect()
            let command = UUID()
            try await append(at: 1, command: command, on: connection)
            await #expect(throws: PostgresError.self) { try await append(at: 2, command: command, on: connection) }
            #expect(try await store.everything().count == 1)
            await connection.close()
        }
    }

    /// Puts an event at a place; its version is its position, where not told otherwise.
    private func append(
        at position: Int64,
        version: Int64? = nil,
        command: UUID = UUID(),
        on connection: PostgresConnection
    ) async throws {
        let none: [UUID?] = [nil]
        try await connection.execute(
            """
            SELECT parley.append_at(
                \([Int32(0)]), \([Int32(0)]), \([position]), \([room]), \(["conversation"]), \([version ?? position]),
                \(["roleChanged"]), \([Int16(1)]), \([command]), \([Int32(0)]), \([UUID?.some(actor)]),
                \([UUID?.some(actor)]), \(none), \([Date()]),
                \([JSONText(Array(#"{"person":"\#(actor.uuidString)","role":"admin"}"#.utf8))]), \([Bytes?.none]),
                \(none), \([Bytes?.none]))
            """
        )
    }

    // MARK: Connections

    private func connect() async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: SecretWatch.logger
        )
    }

    private func append(on connection: PostgresConnection) async throws -> Int64 {
        try #require(try await appendIfPossible(expected: nil, on: connection))
    }

    private func appendIfPossible(expected: Int64?, on connection: PostgresConnection) async throws -> Int64? {
        let none: [UUID?] = [nil]
        let rows = try await connection.query(
            """
            SELECT at_position FROM parley.append(
                \([Int32(0)]), \([true]), \([room]), \(["conversation"]), \([true]), \([expected]), \(["roleChanged"]),
                \([Int16(1)]), \([UUID()]), \([Int32(0)]), \([UUID?.some(actor)]), \([UUID?.some(actor)]), \(none),
                \(none), \([Date()]),
                \([JSONText(Array(#"{"person":"\#(actor.uuidString)","role":"admin"}"#.utf8))]), \([Bytes?.none]),
                \(none), \([Bytes?.none]))
            """
        )
        return try #require(rows.first).decode(0)
    }

    /// Waits for the server to say that the connection waits for a lock.
    private func waitUntilBlocked(_ connection: PostgresConnection) async throws {
        let pid = connection.backendPID
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = \(pid)"
            )
            if try rows.first?.decode(0, as: Bool?.self) == true { return }
            await Task.pause()
        }
    }
}
