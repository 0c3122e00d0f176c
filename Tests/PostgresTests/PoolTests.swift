import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct PoolTests {
    /// Holds a connection of the pool until it is told to give it back.
    private func hold(_ pool: PostgresPool) async throws -> (release: () -> Void, task: Task<Void, any Error>) {
        // On a busy machine the first connection may take longer than the test's caller is to wait.
        while (try? await pool.execute("SELECT 1")) == nil { await Task.pause() }
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.withConnection { _ in
                beginning.finish()
                for await _ in ended {}
            }
        }
        for await _ in begun {}
        return ({ ending.finish() }, task)
    }

    @Test func `many callers share few connections`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 3)
        let pids = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                group.addTask { try await pool.query("SELECT pg_backend_pid()").only(Int.self) }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect((1...3).contains(pids.count))
        await pool.close()
    }

    @Test func `each connection is looked at once, before its first use`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1)
        let checked = Mutex<[Int32]>([])
        pool.onFirstUse { connection in checked.withLock { $0.append(connection.backendPID) } }
        for _ in 0..<3 { try await pool.execute("SELECT 1") }
        #expect(checked.withLock { $0.count } == 1)
        await pool.close()
    }

    @Test func `a connection that is of no use is dropped, and the next one is looked at anew`() async throws {
        struct Standby: Error {}
        let pool = TestDatabase.current.makePool(maxConnections: 1)
        let isOpen = Mutex(false)
        pool.onFirstUse { _ in if !isOpen.withLock({ $0 }) { throw Standby() } }
        for _ in 0..<3 {
            await #expect(throws: PostgresConnectionError.connectFailed("Standby()")) {
                try await pool.execute("SELECT 1")
            }
        }
        isOpen.withLock { $0 = true }
        #expect(try await pool.execute("SELECT 1") == 1)
        await pool.close()
    }

    @Test func `renewed, it lends none of the connections that were open`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 2)
        func pid() async throws -> Int { try await pool.query("SELECT pg_backend_pid()").only(Int.self) }
        let before = try await pid()
        let (idle, lent) = try await pool.withConnection { connection in
            let idle = try await pid()
            pool.renew()
            return (idle, Int(connection.backendPID))
        }
        let after = try await pool.withConnection { connection in [Int(connection.backendPID), try await pid()] }
        #expect(Set(after).isDisjoint(with: [before, idle, lent]))
        await pool.close()
    }

    @Test func `who waits too long hears that the pool is exhausted`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1, checkoutTimeout: .milliseconds(50))
        let held = try await hold(pool)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: PostgresConnectionError.poolExhausted) { try await pool.execute("SELECT 1") }
                }
            }
        }
        held.release()
        try await held.task.value
        #expect(try await pool.execute("SELECT 1") == 1)
        await pool.close()
    }

    @Test func `beyond the limit nobody waits`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1, maxWaiting: 0)
        // Even the first caller waits for its connection to be made.
        await #expect(throws: PostgresConnectionError.poolExhausted) { try await pool.execute("SELECT 1") }
        await pool.close()
    }

    @Test func `a cancelled waiter leaves the queue`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1, maxWaiting: 1)
        let held = try await hold(pool)
        for _ in 0..<10 {
            let waiter = Task { try await pool.execute("SELECT 1") }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        async let last = pool.execute("SELECT 1")
        held.release()
        #expect(try await last == 1)
        await pool.close()
    }

    @Test func `a connection that comes back inside a transaction is not used again`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1)
        try await pool.execute("CREATE TABLE t (n int)")
        let first = try await pool.withConnection { connection in
            try await connection.execute("BEGIN")
            try await connection.execute("INSERT INTO t VALUES (1)")
            return connection.backendPID
        }
        #expect(try await pool.query("SELECT pg_backend_pid()").only(Int32.self) != first)
        #expect(try await pool.query("SELECT count(*) FROM t").only(Int.self) == 0)
        await pool.close()
    }

    @Test func `a broken connection is replaced`() async throws {
        let database = TestDatabase.current
        let pool = database.makePool(maxConnections: 1)
        for _ in 0..<5 {
            let pid = try await pool.withConnection { connection in
                try await database.administrator.execute("SELECT pg_terminate_backend(\(connection.backendPID))")
                await #expect(throws: PostgresConnectionError.self) {
                    while true { try await connection.execute("SELECT 1") }
                }
                return connection.backendPID
            }
            #expect(try await pool.query("SELECT pg_backend_pid()").only(Int32.self) != pid)
        }
        await pool.close()
    }

    @Test func `a failing or cancelled loan comes back`() async throws {
        let database = TestDatabase.current
        let pool = database.makePool(maxConnections: 1)
        let pid = try await pool.query("SELECT pg_backend_pid()").only(Int32.self)
        await #expect(throws: PostgresError.self) { try await pool.execute("SELECT 1/0") }
        let task = Task { try await pool.withTransaction { try await $0.execute("SELECT pg_sleep(600)") } }
        try await database.wait(
            until: "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(pid) AND query LIKE 'SELECT pg_sleep%')"
        )
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.query("SELECT pg_backend_pid()").only(Int32.self) == pid)
        await pool.close()
    }

    @Test func `a closed pool refuses, and closing waits for what is lent`() async throws {
        let pool = TestDatabase.current.makePool(maxConnections: 1)
        let held = try await hold(pool)
        let waiter = Task { try await pool.execute("SELECT 1") }
        let closing = Task { await pool.close() }
        let outcome = await waiter.result
        #expect(throws: PostgresConnectionError.closed) { try outcome.get() }
        await #expect(throws: PostgresConnectionError.closed) { try await pool.execute("SELECT 1") }
        held.release()
        await closing.value
        try await held.task.value
        await pool.close()
    }

    @Test func `a pool that is let go ends its sessions`() async throws {
        let database = TestDatabase.current
        var pool: PostgresPool? = database.makePool(maxConnections: 2)
        let pid = try await pool?.query("SELECT pg_backend_pid()").only(Int32.self)
        pool = nil
        try await database.wait(until: "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(pid))")
    }
}
