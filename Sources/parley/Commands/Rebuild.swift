import ArgumentParser
import EventStore
import Logging
import Migrations
import Postgres
import ReadModels

/// Builds read models anew from the log.
struct Rebuild: Command {
    static let configuration = CommandConfiguration(
        abstract: "Build the read models anew from the log.",
        discussion: """
            They are built beside the live ones and switched in one transaction; reading and sending go on, projecting \
            pauses at the end. All share one checkpoint per partition, so all are rebuilt together. Tells whether they \
            came out as they were; ends with 1 where they did not.
            """
    )

    @Flag(help: "Build all read models anew.")
    var all = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard all else { throw ConfigurationError("say what to rebuild: parley rebuild --all") }
        let report = try await Database.with(settings, logger: logger) { database in
            try await rebuild(database, logger: logger)
        }
        print("\(report.events) events projected in \(report.elapsed)")
        for table in report.tables {
            let verdict = table.isEqual.map { $0 ? "identical" : "DIFFERENT" } ?? "not comparable"
            print("  \(table.table.rawValue): \(table.rowsAfter) rows, \(verdict)")
        }
        guard !report.tables.contains(where: { $0.isEqual == false }) else { throw ExitCode(1) }
    }

    private func rebuild(_ database: Database, logger: Logger) async throws -> RebuildReport {
        let opened = try await OpenLog.open(settings, on: database, logger: logger)
        let bar = ProgressBar(unit: "events")
        let rebuild = ReadModels.Rebuild(
            log: opened.log,
            database: PostgresConfiguration(url: database.migrateURL, role: "parley_owner"),
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
