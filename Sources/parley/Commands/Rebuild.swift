import ArgumentParser
import Logging
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
            try await database.rebuildReadModels(settings, logger: logger)
        }
        print("\(report.events) events projected in \(report.elapsed)")
        for table in report.tables {
            let verdict = table.isEqual.map { $0 ? "identical" : "DIFFERENT" } ?? "not comparable"
            print("  \(table.table.rawValue): \(table.rowsAfter) rows, \(verdict)")
        }
        guard !report.tables.contains(where: { $0.isEqual == false }) else { throw ExitCode(1) }
    }
}
