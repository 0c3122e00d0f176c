import Foundation
import Logging
import Postgres

/// Rewrites the files of a database, so that they hold what its tables say and nothing older.
struct Scrubber {
    let database: Database
    /// Whether it is the private PostgreSQL, where everything may be done.
    let isPrivate: Bool
    let logger: Logger

    /// - Returns: what the account may not do, and is left to the operator.
    func run() async throws -> [String] {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(
                url: database.migrateURL,
                settings: ["statement_timeout": "0", "lock_timeout": "60s"]
            ),
            logger: logger
        )
        let result: Result<[String], any Error>
        do {
            result = .success(try await run(on: connection))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    private func run(on connection: PostgresConnection) async throws -> [String] {
        var left: [String] = []
        try await shred(on: connection)
        let tables = try await self.tables(on: connection) + shreddedPartitions(on: connection)
        for table in tables { try await connection.script("VACUUM (FULL, ANALYZE) \(table)") }
        print("tables      \(tables.count) rewritten")
        do {
            // The planner keeps samples of what the columns hold, and the old ones are as dead rows in here.
            try await connection.script("VACUUM FULL pg_catalog.pg_statistic")
            print("statistics  rewritten")
        } catch let error as PostgresError where Self.isRefusal(error) {
            left.append("the planner's samples: VACUUM FULL pg_catalog.pg_statistic, as a superuser")
        }
        guard isPrivate else {
            left.append("the write-ahead log: it goes by itself in time; a restart after a CHECKPOINT hastens it")
            return left
        }
        print("log files   \(try await OldLog(connection: connection).remove()) written over or removed")
        return left
    }

    /// What was deleted a moment ago, or is deleted and no server ran since, is in the log still.
    private func shred(on connection: PostgresConnection) async throws {
        for row in try await connection.query("SELECT partition FROM parley.log_partitions") {
            let partition: Int32 = try row.decode(0)
            var reached: Int64?
            while let row = try await connection.query("SELECT reached FROM parley.shred(\(partition), 100000)").first {
                let position: Int64 = try row.decode(0)
                guard position != reached else { break }
                reached = position
            }
        }
    }

    /// The parts of the log that texts were taken out of; the rows of the others have never changed.
    private func shreddedPartitions(on connection: PostgresConnection) async throws -> [String] {
        let rows = try await connection.query(
            "SELECT DISTINCT tableoid::regclass::text FROM parley.events WHERE sealed = ''"
        )
        return try rows.map { try $0.decode(0) }
    }

    /// All tables beside the log and the read models, which have just been made anew.
    private func tables(on connection: PostgresConnection) async throws -> [String] {
        let rows = try await connection.query(
            """
            SELECT format('%I.%I', n.nspname, c.relname) AS name
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'parley' AND c.relkind = 'r' AND NOT c.relispartition
            ORDER BY 1
            """
        )
        return try rows.map { try $0.decode("name") }
    }

    private static func isRefusal(_ error: PostgresError) -> Bool {
        error.sqlState == .insufficientPrivilege
    }
}
