import EventStore
import Logging
import Migrations
import Postgres
import ReadModels

extension Database {
    /// Builds all read models anew, beside a running server too, and shows how far it is.
    func rebuildReadModels(_ settings: Configuration, logger: Logger) async throws -> RebuildReport {
        let opened = try await OpenLog.open(settings, on: self, logger: logger)
        let bar = ProgressBar(unit: "events")
        let rebuild = ReadModels.Rebuild(
            log: opened.log,
            database: PostgresConfiguration(url: migrateURL, role: "parley_owner"),
            migrations: Migrations.readModels,
            logger: logger
        )
        let result: Result<RebuildReport, any Error>
        do {
            result = .success(try await rebuild.run { bar.show(done: $0.done, total: $0.total) })
        } catch {
            result = .failure(error)
        }
        bar.finish()
        await opened.pool.close()
        return try result.get()
    }
}
