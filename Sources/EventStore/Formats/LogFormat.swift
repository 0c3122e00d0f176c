package import EventSourcing
package import Postgres

/// The format of a log: the highest of any event in it.
package enum LogFormat {
    /// That of all events that were written before there were formats.
    package static let base = 1

    /// - Throws: ``LogError/notMigrated`` where the database knows no formats yet.
    package static func read(from pool: PostgresPool) async throws -> Int {
        do {
            let rows = try await pool.query("SELECT l.format FROM parley.log l")
            guard let row = rows.first else { throw LogError.notCreated }
            return try row.decode("format")
        } catch let error as PostgresError where error.sqlState == .undefinedColumn {
            throw LogError.notMigrated
        }
    }

    /// Refuses a program that cannot read all of the log.
    ///
    /// - Throws: ``NewerLog``.
    package static func check(_ catalog: EventCatalog, in pool: PostgresPool) async throws {
        let format = try await read(from: pool)
        guard format <= catalog.format else { throw NewerLog(format: format, readable: catalog.format) }
    }
}
