import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct MigratorTests {
    private let first = MigrationFile(name: "0001_a.sql", text: "CREATE TABLE a (n int); INSERT INTO a VALUES (1);")
    private let second = MigrationFile(name: "0002_b.sql", text: "CREATE TABLE b (n int);")

    private func exists(_ table: String, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT to_regclass(\(table)) IS NOT NULL").only()
    }

    @Test func `files are applied once, in the order of their numbers`() async throws {
        let connection = try await TestDatabase.current.connect()
        let migrator = Migrator(files: [second, first])
        #expect(try await migrator.pending(on: connection) == ["0001_a.sql", "0002_b.sql"])
        #expect(try await exists("parley.migrations", connection) == false)
        #expect(try await migrator.run(on: connection) == ["0001_a.sql", "0002_b.sql"])
        #expect(try await migrator.pending(on: connection).isEmpty)
        #expect(try await migrator.run(on: connection).isEmpty)
        let rows = try await connection.query("SELECT version, name FROM parley.migrations ORDER BY version")
        #expect(try rows.map { try $0.decode("version", as: Int.self) } == [1, 2])
        #expect(try rows.map { try $0.decode("name", as: String.self) } == ["0001_a.sql", "0002_b.sql"])
    }

    @Test func `later files are applied when they come`() async throws {
        let connection = try await TestDatabase.current.connect()
        #expect(try await Migrator(files: [first]).run(on: connection) == ["0001_a.sql"])
        #expect(try await Migrator(files: [first, second]).run(on: connection) == ["0002_b.sql"])
    }

    @Test func `a database of a newer program is refused before anything is applied`() async throws {
        let connection = try await TestDatabase.current.connect()
        let later = MigrationFile(name: "0004_d.sql", text: "CREATE TABLE d (n int);")
        try await Migrator(files: [first, second, later]).run(on: connection)
        let other = MigrationFile(name: "0005_e.sql", text: "CREATE TABLE e (n int);")
        for older in [Migrator(files: [first]), Migrator(files: [first, other])] {
            let refusal = MigrationError.newerDatabase(["0002_b.sql", "0004_d.sql"])
            await #expect(throws: refusal) { try await older.run(on: connection) }
            await #expect(throws: refusal) { try await older.pending(on: connection) }
            #expect(refusal.description.contains("0004_d.sql"))
        }
        #expect(try await exists("e", connection) == false)
    }

    @Test func `a file that was changed after it was applied is refused by name`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await Migrator(files: [first]).run(on: connection)
        let changed = MigrationFile(name: first.name, text: first.text + " ")
        let migrator = Migrator(files: [changed, second])
        await #expect(throws: MigrationError.checksumMismatch("0001_a.sql")) { try await migrator.run(on: connection) }
        await #expect(throws: MigrationError.checksumMismatch("0001_a.sql")) {
            try await migrator.pending(on: connection)
        }
        #expect(try await exists("b", connection) == false)
    }

    @Test func `a file that fails leaves nothing, and those before it stay`() async throws {
        let connection = try await TestDatabase.current.connect()
        let broken = MigrationFile(name: "0002_broken.sql", text: "CREATE TABLE b (n int); SELECT 1/0;")
        await #expect(throws: PostgresError.self) { try await Migrator(files: [first, broken]).run(on: connection) }
        #expect(try await exists("a", connection))
        #expect(try await exists("b", connection) == false)
        #expect(try await Migrator(files: [first, second]).run(on: connection) == ["0002_b.sql"])
    }

    @Test func `a file behind those applied is refused`() async throws {
        let connection = try await TestDatabase.current.connect()
        try await Migrator(files: [second]).run(on: connection)
        await #expect(throws: MigrationError.outOfOrder("0001_a.sql")) {
            try await Migrator(files: [first, second]).run(on: connection)
        }
    }

    @Test(arguments: ["a.sql", "1a_b.sql", "_b.sql", "-1_b.sql", "0001_a.txt", "99999999999999999999_b.sql", ""])
    func `a name without a number is refused`(name: String) async throws {
        let connection = try await TestDatabase.current.connect()
        await #expect(throws: MigrationError.invalidName(name)) {
            try await Migrator(files: [MigrationFile(name: name, text: "")]).run(on: connection)
        }
    }

    @Test func `a number that is there twice is refused`() async throws {
        let connection = try await TestDatabase.current.connect()
        let twin = MigrationFile(name: "001_twin.sql", text: "")
        await #expect(throws: MigrationError.self) { try await Migrator(files: [first, twin]).run(on: connection) }
        #expect(try await exists("a", connection) == false)
    }

    @Test func `a file that ends its transaction is refused`() async throws {
        let connection = try await TestDatabase.current.connect()
        for text in ["COMMIT;", "CREATE TABLE b (n int); COMMIT; BEGIN;", "ROLLBACK;"] {
            let file = MigrationFile(name: "0001_x.sql", text: text)
            await #expect(throws: MigrationError.controlsTransaction("0001_x.sql")) {
                try await Migrator(files: [file]).run(on: connection)
            }
        }
        #expect(try await connection.query("SELECT 1 FROM parley.migrations").isEmpty)
    }

    @Test func `of many migrators at once each file has one`() async throws {
        let database = TestDatabase.current
        let files = (1...5).map {
            MigrationFile(name: "000\($0)_t.sql", text: "CREATE TABLE t\($0) (n int); SELECT pg_sleep(0.01)")
        }
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let connection = try await database.connect()
                    return try await Migrator(files: files).run(on: connection)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == files.map(\.name))
    }

    @Test func `the wait for another migrator is no runaway query`() async throws {
        let database = TestDatabase.current
        let slow = MigrationFile(name: "0001_slow.sql", text: "SELECT pg_sleep(0.3)")
        var configuration = database.configuration
        configuration.settings = ["statement_timeout": "100ms", "lock_timeout": "50ms"]
        let settings = configuration
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let connection = try await PostgresConnection.connect(settings, logger: TestDatabase.quiet)
                    return try await Migrator(files: [slow]).run(on: connection)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied == ["0001_slow.sql"])
    }
}
