import Foundation
import Postgres
import Testing

@Suite
struct ConnectionTests {
    @Test func `a query returns its rows`() async throws {
        let connection = try await PostgresConnection.connect(TestServer.configuration, logger: TestServer.logger)
        let rows = try await connection.query("SELECT \(7) AS seven, \("x")::text AS x, NULL::int AS nothing")
        #expect(try rows[0].decode("seven") == 7)
        #expect(try rows[0].decode("x") == "x")
        #expect(try rows[0].decode("nothing", as: Int?.self) == nil)
        let batch = try await connection.batch(["SELECT 1", "SELECT \(2)", "SELECT \([1, 2, 3])"])
        #expect(try batch[2][0].decode(0) == [1, 2, 3])
        let sum = try await connection.withTransaction { connection in
            try await connection.script("CREATE TEMP TABLE t (n int); INSERT INTO t VALUES (1), (2)")
            try await connection.execute("INSERT INTO t VALUES (\(Int32(4)))")
            return try await connection.query("SELECT sum(n) FROM t")[0].decode(0, as: Int.self)
        }
        #expect(sum == 7)
        await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1/0") }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await connection.execute("SELECT pg_sleep(30)") }
                try await Task.sleep(for: .milliseconds(100))
                group.cancelAll()
                try await group.next()
            }
        }
        let pool = PostgresPool(TestServer.configuration, maxConnections: 3, logger: TestServer.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let answer: Int = try await pool.query("SELECT \(number)")[0].decode(0)
                    #expect(answer == number)
                }
            }
            try await group.waitForAll()
        }
        let migrator = Migrator(files: [MigrationFile(name: "0001_x.sql", text: "CREATE TABLE x (); ")])
        #expect(try await pool.withConnection { try await migrator.run(on: $0) } == ["0001_x.sql"])
        await pool.close()
        await connection.close()
    }
}
