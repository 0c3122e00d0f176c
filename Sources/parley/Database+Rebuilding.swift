import EventStore
import Logging
import Migrations
import Postgres
import ReadModels

extension Database {
    /// Builds all read models anew, beside a running server too, and shows how far it is.
    func rebuildReadModels(
        _ settings: Configuration,
        verifying: Bool = false,
        logger: Logger
    ) async throws -> RebuildReport {
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
            result = .success(try await rebuild.run(verifying: verifying) { bar.show($0) })
        } catch {
            result = .failure(error)
        }
        bar.finish()
        await opened.pool.close()
        return try result.get()
    }
}

extension ProgressBar {
    fileprivate func show(_ progress: RebuildProgress) {
        show(done: progress.done, total: progress.total, now: progress.phase.words)
    }
}

extension RebuildProgress.Phase {
    fileprivate var words: String? {
        switch self {
        case .events: nil
        case .indexes: "making indexes"
        case .comparing: "comparing"
        case .switching: "switching, when nobody reads a snapshot"
        }
    }
}
