import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// Sessions and servers that end under the client.
@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct FailureTests {
    @Test func `when a session is terminated everything on it hears so`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await #expect(throws: PostgresConnectionError.connectionLost) {
                        try await connection.execute("SELECT pg_sleep(600)")
                    }
                }
            }
            try await database.waitUntilBusy(connection, with: "SELECT pg_sleep")
            try await database.administrator.execute("SELECT pg_terminate_backend(\(connection.backendPID))")
            try await group.waitForAll()
        }
        #expect(connection.isClosed)
        await #expect(throws: PostgresConnectionError.closed) { try await connection.execute("SELECT 1") }
        await #expect(throws: PostgresConnectionError.closed) { try await connection.script("SELECT 1") }
        await #expect(throws: PostgresConnectionError.closed) { try await connection.withTransaction { _ in } }
        await connection.close()
    }

    @Test func `an idle session that is terminated is noticed without a query`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        try await database.administrator.execute("SELECT pg_terminate_backend(\(connection.backendPID))")
        while !connection.isClosed { await Task.yield() }
    }

    @Test func `what is sent into a session as it dies is answered, too`() async throws {
        let database = TestDatabase.current
        for _ in 0..<100 {
            let connection = try await database.connect()
            async let ended: Int = database.administrator.execute(
                "SELECT pg_terminate_backend(\(connection.backendPID))"
            )
            // Some find the session alive, some dying and some dead; what counts is that each of them ends.
            while (try? await connection.execute("SELECT 1")) != nil {}
            #expect(connection.isClosed)
            _ = try await ended
        }
    }

    @Test func `a killed process of the server ends its sessions`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        let task = Task { try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(600)") }
        await #expect(throws: PostgresConnectionError.connectionLost) { try await task.value }
    }

    @Test func `closing ends what is in flight and what waits`() async throws {
        let database = TestDatabase.current
        let connection = try await database.connect()
        let inFlight = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await database.waitUntilBusy(connection, with: "SELECT pg_sleep")
        let waiting = Task { try await connection.script("SELECT 1") }
        await connection.close()
        await #expect(throws: PostgresConnectionError.connectionLost) { try await inFlight.value }
        await #expect(throws: PostgresConnectionError.closed) { try await waiting.value }
        await connection.close()
    }

    @Test(arguments: [SIGQUIT, SIGKILL])
    func `a server that dies gives clean errors, and then everything works again`(signal: Int32) async throws {
        try await RestartableServer.with { server in
            let configuration = PostgresConfiguration(url: server.postgres.url(database: "postgres"))
            let pool = PostgresPool(
                configuration,
                maxConnections: 6,
                checkoutTimeout: .seconds(60),
                logger: TestDatabase.quiet
            )
            try await pool.execute("CREATE TABLE t (n bigint PRIMARY KEY)")
            for _ in 0..<2 {
                let lost = try await storm(on: pool) { kill(server.postgres.postmasterID, signal) }
                #expect(lost > 0)
                #expect(try await pool.query("SELECT 1").only(Int.self) == 1)
            }
            await pool.close()
        }
    }

    /// Runs inserts from many tasks, strikes in the middle, and checks that no acknowledged insert is missing; each task
    /// ends only when it has inserted all its numbers. Returns how many were lost on the way and repeated.
    private func storm(on pool: PostgresPool, strike: @escaping @Sendable () -> Int32) async throws -> Int {
        try await pool.execute("TRUNCATE t")
        let losses = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<40 {
                group.addTask {
                    var losses = 0
                    for step in 0..<50 {
                        let number = task * 1000 + step
                        if number == 20_025 { losses += try await strikeAndWaitForLoss(on: pool, strike) }
                        losses += try await insertUntilAcknowledged(number, on: pool)
                    }
                    return losses
                }
            }
            return try await group.reduce(0, +)
        }
        let count = try await pool.query("SELECT count(*) FROM t").only(Int.self)
        #expect(count == 40 * 50)
        return losses
    }

    /// Strikes while it holds a session, and returns when that has ended: a killed postmaster's sessions live on until
    /// they notice.
    private func strikeAndWaitForLoss(on pool: PostgresPool, _ strike: () -> Int32) async throws -> Int {
        await #expect(throws: PostgresConnectionError.self) {
            try await pool.withConnection { connection in
                _ = strike()
                while true { try await connection.execute("SELECT 1") }
            }
        }
        return 1
    }

    private func insertUntilAcknowledged(_ number: Int, on pool: PostgresPool) async throws -> Int {
        var losses = 0
        while true {
            do {
                try await pool.execute("INSERT INTO t VALUES (\(number)) ON CONFLICT DO NOTHING")
                return losses
            } catch is PostgresConnectionError {
                losses += 1
            } catch let error as PostgresError where error.sqlState.isClass("57") {
                losses += 1
            }
        }
    }
}
