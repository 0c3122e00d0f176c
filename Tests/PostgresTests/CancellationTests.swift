import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test func `a cancelled task ends its running query`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await database.waitUntilBusy(connection, with: "SELECT pg_sleep")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
    }

    @Test func `a task cancelled beforehand sends nothing`() async throws {
        let connection = try await TestDatabase.current.connect()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await connection.execute("CREATE TABLE t (n int)")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.query("SELECT to_regclass('t') IS NULL").only(Bool.self))
    }

    @Test func `a query that waits to be sent leaves at once`() async throws {
        let database = TestDatabase.current
        let (blocker, connection) = (try await database.connect(), try await database.connect())
        try await blocker.execute("SELECT pg_advisory_lock(1)")
        // A script is sent only when nothing is in flight, so it waits behind the lock.
        let locked = Task { try await connection.execute("SELECT pg_advisory_lock(1)") }
        try await database.waitUntilBlocked(connection)
        let waiting = Task { try await connection.script("CREATE TABLE t (n int)") }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await blocker.execute("SELECT pg_advisory_unlock(1)")
        _ = try await locked.value
        #expect(try await connection.query("SELECT to_regclass('t') IS NULL").only(Bool.self))
    }

    @Test func `a query cancelled behind another leaves that one alone`() async throws {
        let database = TestDatabase.current
        let (blocker, connection) = (try await database.connect(), try await database.connect())
        try await blocker.execute("SELECT pg_advisory_lock(1)")
        let first = Task { try await connection.query("SELECT 'first', pg_advisory_lock(1)").only(String.self) }
        try await database.waitUntilBlocked(connection)
        let second = Task { try await connection.execute("SELECT pg_sleep(600)") }
        second.cancel()
        try await blocker.execute("SELECT pg_advisory_unlock(1)")
        #expect(try await first.value == "first")
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
    }

    @Test func `a cancelled batch takes no effect`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        try await connection.execute("CREATE TABLE t (n int)")
        let task = Task {
            try await connection.batch(["INSERT INTO t VALUES (1)", "SELECT pg_sleep(600)", "INSERT INTO t VALUES (2)"])
        }
        try await database.waitUntilBusy(connection, with: "SELECT pg_sleep")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.query("SELECT count(*) FROM t").only(Int.self) == 0)
    }

    @Test func `a cancelled script takes no effect`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        let task = Task { try await connection.script("CREATE TABLE t (n int); SELECT pg_sleep(600)") }
        try await database.waitUntilBusy(connection, with: "CREATE TABLE t (n int); SELECT pg_sleep")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.query("SELECT to_regclass('t') IS NULL").only(Bool.self))
    }

    @Test func `neighbours of cancelled queries get their answers`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let isDoomed = number.isMultiple(of: 5)
                group.addTask {
                    let task = Task {
                        try await connection.query("SELECT \(number), pg_sleep(\(isDoomed ? 0.002 : 0.0005))")
                            .only(Int.self)
                    }
                    if isDoomed {
                        task.cancel()
                        let result = await task.result
                        if case .failure(let error) = result { #expect(error is CancellationError) }
                    } else {
                        let answer = try await task.value
                        #expect(answer == number)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!connection.isClosed)
    }

    @Test func `a query that does not react to its cancel is given up`() async throws {
        let database = TestDatabase.current
        var configuration = database.configuration
        configuration.patience = .milliseconds(200)
        let connection = try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
        let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await database.waitUntilBusy(connection, with: "SELECT pg_sleep")
        // A stopped process stands for a server that is gone without a word.
        kill(connection.backendPID, SIGSTOP)
        defer { kill(connection.backendPID, SIGCONT) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: PostgresConnectionError.self) { try await connection.execute("SELECT 1") }
        #expect(connection.isClosed)
    }

    @Test func `a cancelled connect ends at once`() async throws {
        let silent = try SilentServer()
        let configuration = PostgresConfiguration(url: silent.url, connectTimeout: .seconds(100))
        let task = Task { try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
