import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct CopyTests {
    private static let table: SQL = "CREATE TABLE t (n bigint PRIMARY KEY, i int, id uuid, at timestamptz, x text)"
    private static let date = Date(timeIntervalSince1970: 1_700_000_000.123456)

    private func rows(_ numbers: some Sequence<Int64>, text: String? = "x") -> CopyRows {
        var rows = CopyRows(into: "t (n, x)", columns: 2)
        for number in numbers {
            rows.beginRow()
            rows.append(number)
            rows.append(text)
        }
        return rows
    }

    /// More than sockets hold, so that the server must read on before the last part is sent.
    private var manyRows: CopyRows { rows(1...8_000, text: String(repeating: "x", count: 2_000)) }

    /// Has the server wait for a lock of the blocker's in the middle of the rows.
    private func stop(at number: Int, by blocker: PostgresConnection) async throws {
        try await blocker.script(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$;
            CREATE TRIGGER wait BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.n = \(number)) EXECUTE FUNCTION wait();
            """
        )
        try await blocker.execute("SELECT pg_advisory_lock(1)")
    }

    /// Rows that wait in the middle, for a lock of the blocker's.
    private struct StoppedCopy {
        let blocker: PostgresConnection
        let connection: PostgresConnection
        let task: Task<Int, any Error>
    }

    private func stopCopy() async throws -> StoppedCopy {
        let database = TestDatabase.current
        let (blocker, connection) = (try await database.connect(), try await database.connect())
        try await blocker.execute(Self.table)
        try await stop(at: 10, by: blocker)
        let task = Task { try await connection.copy(manyRows) }
        try await database.waitUntilBlocked(connection)
        return StoppedCopy(blocker: blocker, connection: connection, task: task)
    }

    private func count(_ connection: PostgresConnection) async throws -> Int {
        try await connection.query("SELECT count(*) FROM t").only(Int.self)
    }

    @Test func `values come back as they were put`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(Self.table)
        let ids = [UUID(), UUID()]
        let texts = ["", "a\tb\\c\n\"żółć\" \\N 👩‍👩‍👧‍👦", nil, String(repeating: "é", count: 70_000)]
        var rows = CopyRows(into: "t (n, i, id, at, x)", columns: 5)
        for (number, text) in zip([Int64.min, -1, 0, .max], texts) {
            rows.beginRow()
            rows.append(number)
            rows.append(Int32(clamping: number))
            rows.append(ids[0])
            rows.append(Self.date)
            rows.append(text)
        }
        rows.beginRow()
        rows.append(Int64(7))
        rows.append(nil as Int32?)
        rows.append(nil as UUID?)
        rows.append(nil as Date?)
        rows.append(nil as String?)
        #expect(try await connection.copy(rows) == 5)
        let found = try await connection.query("SELECT * FROM t WHERE n <> 7 ORDER BY n")
        #expect(try found.map { try $0.decode("n", as: Int64.self) } == [.min, -1, 0, .max])
        #expect(try found.map { try $0.decode("i", as: Int32.self) } == [.min, -1, 0, .max])
        #expect(try found.map { try $0.decode("x", as: String?.self) } == texts)
        #expect(try found.allSatisfy { try $0.decode("id") == ids[0] && $0.decode("at") == Self.date })
        let empty = try await connection.query("SELECT FROM t WHERE num_nonnulls(i, id, at, x) = 0 AND n = 7")
        #expect(empty.count == 1)
    }

    @Test func `rows of many megabytes arrive, and what is asked beside them is answered`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(Self.table)
        @Sendable func check(_ number: Int) async throws {
            let answer = try await connection.query("SELECT \(number)").only(Int.self)
            #expect(answer == number)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await check(number) } }
            group.addTask {
                let count = try await connection.copy(manyRows)
                #expect(count == 8_000)
            }
            for number in 100..<200 { group.addTask { try await check(number) } }
            try await group.waitForAll()
        }
        let bytes = try await connection.query("SELECT sum(length(x)) FROM t").only(Int.self)
        #expect(bytes == 16_000_000)
    }

    @Test func `rows are part of the transaction around them`() async throws {
        struct Failed: Error {}
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(Self.table)
        await #expect(throws: Failed.self) {
            try await connection.withTransaction { connection in
                #expect(try await connection.copy(rows(1...10)) == 10)
                #expect(try await count(connection) == 10)
                throw Failed()
            }
        }
        #expect(try await count(connection) == 0)
        _ = try await connection.withTransaction(beginningWith: ["INSERT INTO t VALUES (0)"]) { connection, _ in
            try await connection.copy(rows(1...10))
            return (["DELETE FROM t WHERE n = 5"], ())
        }
        #expect(try await count(connection) == 10)
    }

    @Test func `a row that is refused leaves none, and tells no value`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(Self.table)
        try await connection.execute("INSERT INTO t (n) VALUES (300)")
        let many = rows(1...8_000, text: String(repeating: "secret", count: 500))
        let error = await #expect(throws: PostgresError.self) { try await connection.copy(many) }
        #expect(error?.sqlState == .uniqueViolation)
        #expect(error?.constraint == "t_pkey")
        #expect(error?.statement == "COPY t (n, x) FROM STDIN (FORMAT binary)")
        #expect(error.map { "\($0) \($0.message)" }?.contains("secret") == false)
        #expect(try await count(connection) == 1)
        let failed = await #expect(throws: PostgresError.self) {
            try await connection.withTransaction { connection in
                _ = try? await connection.copy(rows([1, 300]))
                try await connection.copy(rows([2]))
            }
        }
        #expect(failed?.sqlState == .inFailedTransaction)
        #expect(try await connection.copy(rows([1])) == 1)
    }

    @Test func `what the server cannot take is not sent`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute(Self.table)
        await #expect(throws: PostgresRequestError.containsNUL) { try await connection.copy(rows([1], text: "a\0b")) }
        var dated = CopyRows(into: "t (n, at)", columns: 2)
        dated.beginRow()
        dated.append(Int64(1))
        dated.append(Date(timeIntervalSinceReferenceDate: 1e300))
        await #expect(throws: PostgresRequestError.dateOutOfRange) { try await connection.copy(dated) }
        let unnamed = CopyRows(into: "\(identifier: "") (n)", columns: 1)
        await #expect(throws: PostgresRequestError.invalidIdentifier) { try await connection.copy(unnamed) }
        #expect(try await connection.copy(rows([])) == 0)
        #expect(try await count(connection) == 0)
        let missing = await #expect(throws: PostgresError.self) {
            try await connection.copy(row(into: "nowhere (n)"))
        }
        #expect(missing?.sqlState == .undefinedTable)
        #expect(try await count(connection) == 0)
    }

    private func row(into target: SQL) -> CopyRows {
        var rows = CopyRows(into: target, columns: 1)
        rows.beginRow()
        rows.append(Int64(1))
        return rows
    }

    @Test func `a cancelled task ends its rows in the middle, and its session goes on`() async throws {
        let copy = try await stopCopy()
        let behind = Task { try await copy.connection.query("SELECT 'behind'").only(String.self) }
        copy.task.cancel()
        await #expect(throws: CancellationError.self) { try await copy.task.value }
        #expect(try await behind.value == "behind")
        #expect(try await count(copy.connection) == 0)
        try await copy.blocker.execute("SELECT pg_advisory_unlock(1)")
        #expect(try await copy.connection.copy(manyRows) == 8_000)
    }

    @Test func `a task that is cancelled while its rows wait to be sent sends none`() async throws {
        let database = TestDatabase.current
        let (blocker, connection) = (try await database.connect(), try await database.connect())
        try await blocker.execute(Self.table)
        try await blocker.execute("SELECT pg_advisory_lock(1)")
        let locked = Task { try await connection.execute("SELECT pg_advisory_lock(1)") }
        try await database.waitUntilBlocked(connection)
        let waiting = Task { try await connection.copy(rows([1])) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await blocker.execute("SELECT pg_advisory_unlock(1)")
        _ = try await locked.value
        #expect(try await count(connection) == 0)
    }

    @Test func `a session that ends in the middle of rows is lost, with what waits behind them`() async throws {
        let copy = try await stopCopy()
        let behind = Task { try await copy.connection.execute("SELECT 1") }
        try await TestDatabase.current.administrator.execute(
            "SELECT pg_terminate_backend(\(copy.connection.backendPID))"
        )
        await #expect(throws: PostgresConnectionError.connectionLost) { try await copy.task.value }
        await #expect(throws: PostgresConnectionError.self) { try await behind.value }
        #expect(copy.connection.isClosed)
        #expect(try await count(copy.blocker) == 0)
    }

    @Test func `closing ends rows in the middle`() async throws {
        let copy = try await stopCopy()
        await copy.connection.close()
        await #expect(throws: PostgresConnectionError.connectionLost) { try await copy.task.value }
        try await copy.blocker.execute("SELECT pg_advisory_unlock(1)")
        try await TestDatabase.current.wait(
            until: "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(copy.connection.backendPID))"
        )
        #expect(try await count(copy.blocker) == 0)
    }

    @Test func `the server's time limit for a statement holds for rows`() async throws {
        let database = TestDatabase.current
        let (blocker, connection) = (try await database.connect(), try await database.connect())
        try await blocker.execute(Self.table)
        try await stop(at: 10, by: blocker)
        try await connection.execute("SET statement_timeout = '50ms'")
        let error = await #expect(throws: PostgresError.self) { try await connection.copy(manyRows) }
        #expect(error?.sqlState == .queryCanceled)
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
    }
}
