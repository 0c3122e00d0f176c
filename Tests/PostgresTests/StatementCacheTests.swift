import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct StatementCacheTests {
    private let prepared: SQL = "SELECT count(*) FROM pg_prepared_statements"

    @Test func `a statement is prepared once`() async throws {
        let connection = try await TestDatabase.current.connect()
        for number in 0..<10 {
            #expect(try await connection.query("SELECT \(number) + 1").only(Int.self) == number + 1)
        }
        #expect(try await connection.query(prepared).only(Int.self) == 2)
    }

    @Test func `the same text with other types is another statement`() async throws {
        let connection = try await TestDatabase.current.connect()
        #expect(try await connection.query("SELECT \(1)").only(Int.self) == 1)
        #expect(try await connection.query("SELECT \("one")").only(String.self) == "one")
        #expect(try await connection.query("SELECT \(2)").only(Int.self) == 2)
    }

    @Test func `the statement used longest ago is freed`() async throws {
        var configuration = TestDatabase.current.configuration
        configuration.preparedStatements = 4
        let connection = try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
        for round in 0..<5 {
            for number in 0..<10 {
                let sql = SQL(stringLiteral: "SELECT \(number) AS n")
                #expect(try await connection.query(sql).only(Int.self) == number, "round \(round)")
            }
        }
        #expect(try await connection.query(prepared).only(Int.self) <= 5)
    }

    @Test func `freeing a statement never disturbs a transaction`() async throws {
        var configuration = TestDatabase.current.configuration
        configuration.preparedStatements = 2
        let connection = try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
        for _ in 0..<3 {
            let sum = try await connection.withTransaction { connection in
                var sum = 0
                for number in 0..<10 {
                    sum += try await connection.query(SQL(stringLiteral: "SELECT \(number) AS n")).only(Int.self)
                }
                return sum
            }
            #expect(sum == 45)
        }
    }

    @Test func `a statement that could not be prepared is not remembered`() async throws {
        let connection = try await TestDatabase.current.connect()
        let error = await #expect(throws: PostgresError.self) { try await connection.query("SELECT n FROM later") }
        #expect(error?.sqlState == .undefinedTable)
        try await connection.execute("CREATE TABLE later (n int)")
        #expect(try await connection.query("SELECT n FROM later").isEmpty)
    }

    @Test func `each of many at once hears the true reason why it cannot be prepared`() async throws {
        let connection = try await TestDatabase.current.connect()
        await withTaskGroup(of: SQLState?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        _ = try await connection.query("SELECT n FROM missing")
                        return nil
                    } catch {
                        return (error as? PostgresError)?.sqlState
                    }
                }
            }
            for await state in group { #expect(state == .undefinedTable) }
        }
    }

    @Test func `a preparation aborted in a batch hurts nobody else`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        let error = await #expect(throws: PostgresError.self) {
                            try await connection.batch(["SELECT 1/0", "SELECT \(number) AS shared"])
                        }
                        #expect(error?.statementIndex == 0)
                    } else {
                        let answer = try await connection.query("SELECT \(number) AS shared").only(Int.self)
                        #expect(answer == number)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a plan that a change of its table made stale is renewed`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
        #expect(try await connection.query("SELECT * FROM t")[0].decode("a") == 1)
        try await connection.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 2")
        #expect(try await connection.query("SELECT * FROM t")[0].decode("b") == 2)
        try await connection.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 3")
        let rows = try await connection.batch(["INSERT INTO t VALUES (4)", "SELECT * FROM t"])
        #expect(try rows[1][0].decode("c") == 3)
        #expect(try await connection.query("SELECT count(*) FROM t").only(Int.self) == 2)
    }

    @Test func `inside a transaction a stale plan is an error, and the next one works`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
        _ = try await connection.query("SELECT * FROM t")
        try await connection.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 2")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.withTransaction { try await $0.query("SELECT * FROM t") }
        }
        #expect(error?.sqlState == .featureNotSupported)
        #expect(try await connection.withTransaction { try await $0.query("SELECT * FROM t")[0].decode("b") } == 2)
    }

    @Test func `statements that the session discarded are prepared again`() async throws {
        let connection = try await TestDatabase.current.connect()
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
        try await connection.execute("DEALLOCATE ALL")
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
        try await connection.script("DISCARD ALL")
        let rows = try await connection.batch(["SELECT 1", "SELECT 2", "SELECT 1"])
        #expect(try rows.map { try $0.only(Int.self) } == [1, 2, 1])
    }
}
