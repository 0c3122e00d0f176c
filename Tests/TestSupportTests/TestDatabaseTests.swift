import Postgres
import TestSupport
import Testing

@Suite(.database)
struct `A test database` {
    @Test func `is migrated, and used with the server's role`() async throws {
        let rows = try await TestDatabase.current.pool.query(
            "SELECT current_user::text AS role, to_regclass('parley.events') IS NOT NULL AS migrated"
        )
        #expect(try rows[0].decode("role", as: String.self) == "parley_server")
        #expect(try rows[0].decode("migrated", as: Bool.self))
    }

    @Test(arguments: 1...12)
    func `belongs to one test alone`(number: Int) async throws {
        let database = TestDatabase.current
        try await database.administrator.execute("CREATE TABLE only_here (number int8)")
        try await database.administrator.execute("INSERT INTO only_here VALUES (\(number))")
        let rows = try await database.administrator.query("SELECT number FROM only_here")
        #expect(try rows.map { try $0.decode("number", as: Int.self) } == [number])
    }
}

@Test(.emptyDatabase) func `an empty database has no migrations`() async throws {
    let rows = try await TestDatabase.current.pool.query("SELECT to_regnamespace('parley') IS NULL AS empty")
    #expect(try rows[0].decode("empty", as: Bool.self))
}
