import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct QueryTests {
    @Test func `a statement tells how many rows it affected`() async throws {
        let connection = try await TestDatabase.current.connect()
        #expect(try await connection.execute("CREATE TABLE t (n int)") == 0)
        #expect(try await connection.execute("INSERT INTO t SELECT generate_series(1, 5)") == 5)
        #expect(try await connection.execute("DELETE FROM t WHERE n > \(2)") == 3)
        #expect(try await connection.query("SELECT n FROM t").affected == 2)
        #expect(try await connection.query("").isEmpty)
    }

    @Test func `columns are found by name in any order, row after row`() async throws {
        let connection = try await TestDatabase.current.connect()
        let rows = try await connection.query(
            "SELECT n AS one, n * 10 AS two, '' AS none, NULL::int AS three FROM generate_series(1, 3) AS n ORDER BY n"
        )
        #expect(rows.count == 3)
        for (row, n) in zip(rows, 1...) {
            #expect(try row.decode("one", as: Int.self) == n)
            #expect(try row.decode("two", as: Int.self) == 10 * n)
            #expect(try row.decode("none", as: String?.self) == "")
            #expect(try row.decode("three", as: Int?.self) == nil)
        }
        for (row, n) in zip(rows, 1...) {
            #expect(try row.decode("two", as: Int.self) == 10 * n)
            #expect(try row.decode("two", as: Int.self) == 10 * n)
            #expect(try row.decode("three", as: Int?.self) == nil)
            let error = #expect(throws: PostgresDecodingError.self) { try row.decode("four", as: Int.self) }
            #expect(error?.reason == .noSuchColumn)
            #expect(error?.column == "four")
            #expect(try row.decode("one", as: Int.self) == n)
        }
    }

    @Test func `an error names its state, constraint and place, and no value`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute("CREATE TABLE t (name text CONSTRAINT t_name_unique UNIQUE)")
        try await connection.execute("INSERT INTO t VALUES (\("topsecret"))")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.execute("INSERT INTO t VALUES (\("topsecret"))")
        }
        #expect(error?.sqlState == .uniqueViolation)
        #expect(error?.sqlState.isClass("23") == true)
        #expect(error?.constraint == "t_name_unique")
        #expect(error?.table == "t")
        #expect(error?.statement == "INSERT INTO t VALUES ($1)")
        #expect(error?.detail?.contains("topsecret") == true)
        let shown = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
        #expect(shown.contains("23505") && shown.contains("t_name_unique") && shown.contains("QueryTests.swift"))
        #expect(!shown.contains("topsecret"))
    }

    @Test func `a message that can carry a value stays out of the description`() async throws {
        let connection = try await TestDatabase.current.connect()
        let error = await #expect(throws: PostgresError.self) {
            try await connection.query("SELECT (\("topsecret"))::text::int")
        }
        #expect(error?.message.contains("topsecret") == true)
        #expect(error.map { !"\($0)".contains("topsecret") } == true)
    }

    @Test func `a failing statement leaves its neighbours in the pipeline alone`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    if number.isMultiple(of: 3) {
                        let error = await #expect(throws: PostgresError.self) {
                            try await connection.query("SELECT 1 / \(0), \(number)")
                        }
                        #expect(error?.sqlState.rawValue == "22012")
                    } else {
                        let answer = try await connection.query("SELECT \(number)").only(Int.self)
                        #expect(answer == number)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!connection.isClosed)
    }

    @Test func `a batch gives every statement's rows`() async throws {
        let connection = try await TestDatabase.current.connect()
        let rows = try await connection.batch([
            "CREATE TABLE t (n int)", "INSERT INTO t SELECT generate_series(1, \(3))", "SELECT sum(n) FROM t",
            "SELECT n FROM t ORDER BY n",
        ])
        #expect(rows.map(\.affected) == [0, 3, 1, 3])
        #expect(try rows[2].only(Int.self) == 6)
        #expect(try await connection.batch([]).isEmpty)
    }

    @Test func `a batch that fails takes no effect and names the statement`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute("CREATE TABLE t (n int)")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.batch([
                "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)", "SELECT \(1) / \(0)", "SELECT nonsense",
                "INSERT INTO t VALUES (3)",
            ])
        }
        #expect(error?.statementIndex == 2)
        #expect(error?.statement == "SELECT $1 / $2")
        #expect(try await connection.query("SELECT count(*) FROM t").only(Int.self) == 0)
        #expect(try await connection.batch(["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (3)"]).count == 2)
    }

    @Test func `an error at a batch's own commit is an error of the batch`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await connection.execute("CREATE TABLE t (n int CONSTRAINT n_once UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        async let before = connection.query("SELECT 1").only(Int.self)
        async let failing = connection.batch(["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"])
        async let after = connection.query("SELECT 2").only(Int.self)
        do {
            _ = try await failing
            Issue.record("the batch must fail")
        } catch let error as PostgresError {
            #expect(error.constraint == "n_once")
        }
        #expect(try await before == 1)
        #expect(try await after == 2)
        #expect(try await connection.query("SELECT count(*) FROM t").only(Int.self) == 0)
    }

    @Test func `a script runs many statements, all or nothing`() async throws {
        let connection = try await TestDatabase.current.connect()
        async let before = connection.query("SELECT 1").only(Int.self)
        async let script: Void = connection.script("CREATE TABLE t (n int); INSERT INTO t VALUES (1); -- two\n;")
        async let after = connection.query("SELECT 3").only(Int.self)
        try await script
        #expect(try await before == 1)
        #expect(try await after == 3)
        await #expect(throws: PostgresError.self) {
            try await connection.script("INSERT INTO t VALUES (2); SELECT 1/0; INSERT INTO t VALUES (3)")
        }
        #expect(try await connection.query("SELECT count(*) FROM t").only(Int.self) == 1)
        await #expect(throws: PostgresRequestError.containsNUL) { try await connection.script("SELECT '\0'") }
    }

    @Test func `very large results and parameters pass`() async throws {
        let connection = try await TestDatabase.current.connect()
        let text = String(repeating: "0123456789", count: 3_000_000)
        async let length = connection.query("SELECT length(\(text))").only(Int.self)
        async let echo = connection.query("SELECT \(text)").only(String.self)
        #expect(try await length == 30_000_000)
        #expect(try await echo == text)
        let rows = try await connection.query("SELECT n, repeat('x', 20) FROM generate_series(1, 300000) AS n")
        #expect(rows.count == 300_000)
        #expect(try rows[299_999].decode(0) == 300_000)
    }

    @Test func `large statements in flight from both sides do not block each other`() async throws {
        let connection = try await TestDatabase.current.connect()
        let text = String(repeating: "x", count: 1 << 20)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask { try await connection.query("SELECT \(text) || \(text)").only(String.self).utf8.count }
            }
            for try await length in group { #expect(length == 2 << 20) }
        }
    }

    @Test func `what PostgreSQL cannot take is refused unsent`() async throws {
        let connection = try await TestDatabase.current.connect()
        await #expect(throws: PostgresRequestError.containsNUL) { try await connection.query("SELECT \("a\0b")") }
        await #expect(throws: PostgresRequestError.containsNUL) { try await connection.query("SELECT \(["a", "\0"])") }
        await #expect(throws: PostgresRequestError.containsNUL) {
            try await connection.query("SELECT \(JSONText([0x22, 0, 0x22]))")
        }
        await #expect(throws: PostgresRequestError.containsNUL) {
            try await connection.query("SELECT \(SQLParameter(oid: 25, format: .text, bytes: [65, 0, 66]))")
        }
        await #expect(throws: PostgresRequestError.dateOutOfRange) {
            try await connection.query("SELECT \(Date(timeIntervalSinceReferenceDate: 1e300))")
        }
        await #expect(throws: PostgresRequestError.dateOutOfRange) {
            try await connection.query("SELECT \(Date(timeIntervalSinceReferenceDate: .nan))")
        }
        for name in ["", String(repeating: "x", count: 64), "a\0"] {
            await #expect(throws: PostgresRequestError.invalidIdentifier) {
                try await connection.query("SELECT 1 AS \(identifier: name)")
            }
        }
        let many = (0..<65_536).map { "\($0)" as SQL }.joined(separator: ",")
        await #expect(throws: PostgresRequestError.tooManyParameters(65_536)) {
            try await connection.query("SELECT ARRAY[" + many + "]")
        }
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
    }

    @Test func `the most parameters that fit are taken`() async throws {
        let connection = try await TestDatabase.current.connect()
        let many = (0..<65_535).map { "\($0)" as SQL }.joined(separator: ",")
        let sum = try await connection.query("SELECT sum(n)::bigint FROM unnest(ARRAY[" + many + "]) AS n").only(
            Int.self
        )
        #expect(sum == 65_535 * 65_534 / 2)
    }

    @Test func `a parameter can be sent as text`() async throws {
        let connection = try await TestDatabase.current.connect()
        let numeric = SQLParameter(oid: 1700, format: .text, bytes: Array("12.50".utf8))
        let nothing = SQLParameter(oid: 1700, format: .text, bytes: nil)
        let row = try await connection.query("SELECT \(numeric)::text AS n, \("")::text AS e, \(nothing)::text AS z")[0]
        #expect(try row.decode("n") == "12.50")
        #expect(try row.decode("e") == "")
        #expect(try row.decode("z", as: String?.self) == nil)
    }

    @Test func `COPY ends the connection with a clear error`() async throws {
        let connection = try await TestDatabase.current.connect()
        await #expect(throws: PostgresRequestError.copyNotSupported) {
            try await connection.script("CREATE TABLE t (n int); COPY t FROM STDIN")
        }
        #expect(connection.isClosed)
        let second = try await TestDatabase.current.connect()
        await #expect(throws: PostgresRequestError.copyNotSupported) {
            try await second.query("COPY (SELECT 1) TO STDOUT")
        }
        #expect(second.isClosed)
    }

    @Test func `a queue that is full refuses`() async throws {
        let database = TestDatabase.current
        let blocker = try await database.connect()
        let connection = try await database.connect()
        try await blocker.execute("SELECT pg_advisory_lock(1)")
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<6000 {
                group.addTask {
                    do {
                        try await connection.execute("SELECT \(number), pg_advisory_xact_lock(1)")
                        return true
                    } catch PostgresConnectionError.queueFull {
                        return false
                    }
                }
            }
            // The first answer can only be a refusal: everything accepted waits for the lock.
            let first = try await group.next()
            #expect(first == false)
            try await blocker.execute("SELECT pg_advisory_unlock(1)")
            return try await group.reduce(into: [false]) { $0.append($1) }
        }
        #expect(outcomes.count == 6000)
        #expect(outcomes.filter { $0 }.count >= 4096)
    }
}
