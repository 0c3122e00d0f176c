import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct TransactionTests {
    private struct Refusal: Error {}

    private func connectWithTable() async throws -> PostgresConnection {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute("CREATE TABLE t (n int CONSTRAINT n_once UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        return connection
    }

    private func count(_ connection: PostgresConnection) async throws -> Int {
        try await connection.query("SELECT count(*) FROM t").only(Int.self)
    }

    @Test func `what a transaction did is there after it, and not before`() async throws {
        let connection = try await connectWithTable()
        let other = try await TestDatabase.current.connect()
        let answer = try await connection.withTransaction { connection in
            try await connection.execute("INSERT INTO t VALUES (1)")
            #expect(try await count(other) == 0)
            return "done"
        }
        #expect(answer == "done")
        #expect(try await count(other) == 1)
    }

    @Test func `an error of the body rolls back`() async throws {
        let connection = try await connectWithTable()
        await #expect(throws: Refusal.self) {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try await count(connection) == 0)
    }

    @Test func `an error of a statement rolls back`() async throws {
        let connection = try await connectWithTable()
        await #expect(throws: PostgresError.self) {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await connection.execute("SELECT 1/0")
            }
        }
        #expect(try await count(connection) == 0)
    }

    @Test func `a body that swallows a statement's error hears that nothing was committed`() async throws {
        let connection = try await connectWithTable()
        let error = await #expect(throws: PostgresError.self) {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                _ = try? await connection.execute("SELECT 1/0")
            }
        }
        #expect(error?.sqlState == .inFailedTransaction)
        #expect(try await count(connection) == 0)
    }

    @Test func `an error of the commit is thrown`() async throws {
        let connection = try await connectWithTable()
        let error = await #expect(throws: PostgresError.self) {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await connection.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.constraint == "n_once")
        #expect(try await count(connection) == 0)
    }

    @Test func `a cancelled task's transaction is rolled back, and its connection is free`() async throws {
        let connection = try await connectWithTable()
        let task = Task {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await connection.execute("SELECT pg_sleep(600)")
            }
        }
        try await TestDatabase.current.waitUntilBusy(connection, with: "SELECT pg_sleep")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count(connection) == 0)
        try await connection.withTransaction { _ = try await $0.execute("INSERT INTO t VALUES (2)") }
        #expect(try await count(connection) == 1)
    }

    @Test func `a body that ends although its task is cancelled is not committed`() async throws {
        let connection = try await connectWithTable()
        let task = Task {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                while !Task.isCancelled { await Task.yield() }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count(connection) == 0)
    }

    @Test func `transactions do not nest`() async throws {
        let connection = try await connectWithTable()
        try await connection.withTransaction { connection in
            await #expect(throws: PostgresRequestError.transactionInProgress) {
                try await connection.withTransaction { _ in }
            }
            try await connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(try await count(connection) == 1)
        try await connection.execute("BEGIN")
        await #expect(throws: PostgresRequestError.transactionInProgress) {
            try await connection.withTransaction { _ in }
        }
    }

    @Test func `isolation and read-only mode are as asked`() async throws {
        let connection = try await connectWithTable()
        let levels: [(IsolationLevel, String)] = [
            (.readCommitted, "read committed"), (.repeatableRead, "repeatable read"), (.serializable, "serializable"),
        ]
        for (level, name) in levels {
            let shown = try await connection.withTransaction(level) {
                try await $0.query("SELECT current_setting('transaction_isolation')").only(String.self)
            }
            #expect(shown == name)
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction(level, readOnly: true) {
                    try await $0.execute("INSERT INTO t VALUES (1)")
                }
            }
            #expect(error?.sqlState == .readOnlyTransaction)
        }
    }

    @Test func `a conflict of serializable transactions is reported as one`() async throws {
        let connection = try await connectWithTable()
        let other = try await TestDatabase.current.connect()
        try await connection.execute("INSERT INTO t VALUES (1)")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.withTransaction(.repeatableRead) { connection in
                _ = try await count(connection)
                try await other.execute("UPDATE t SET n = 2")
                try await connection.execute("UPDATE t SET n = 3")
            }
        }
        #expect(error?.sqlState == .serializationFailure)
    }

    @Test func `a transaction whose session ends fails, and so does what follows`() async throws {
        let database = TestDatabase.current
        let connection = try await connectWithTable()
        await #expect(throws: (any Error).self) {
            try await connection.withTransaction { connection in
                try await connection.execute("INSERT INTO t VALUES (1)")
                try await database.administrator.execute("SELECT pg_terminate_backend(\(connection.backendPID))")
                try await connection.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(connection.isClosed)
        #expect(try await database.administrator.query("SELECT count(*) FROM t").only(Int.self) == 0)
    }
}
