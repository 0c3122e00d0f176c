import ArgumentParser
import Logging
import ReadModels

/// Builds read models anew from the log.
struct Rebuild: Command {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build the read models anew from the log.",
        discussion: """
            They are built beside the live ones and switched in one transaction; reading, sending and projecting go on, but \
            for the milliseconds of the switch, which waits for a backup or whoever else reads a snapshot. All share one \
            checkpoint per partition, so all are rebuilt together. An interrupted rebuild leaves the live ones as they \
            were. Where the log holds events of a newer program, it gives up: rebuild with that one.

            With --verify it compares all rows of the old and the new ones at one position, before the switch, and ends \
            with 1 where they differ; the new ones are right, and are switched to.
            """
    )

    @Flag(help: "Build all read models anew.")
    var all = false

    @Flag(help: "Compare the new read models with the old ones, row by row.")
    var verify = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard all else { throw UsageError("say what to rebuild: parley rebuild --all") }
        let report = try await Database.with(settings, logger: logger) { database in
            try await database.rebuildReadModels(settings, verifying: verify, logger: logger)
        }
        print("\(report.events) events projected in \(report.elapsed), switched in \(report.pause)")
        guard let comparison = report.comparison else { return }
        for table in comparison {
            print("  \(table.table.rawValue): \(table.rowsAfter) rows, \(table.isEqual ? "identical" : "DIFFERENT")")
        }
        guard comparison.allSatisfy(\.isEqual) else { throw ExitCode(1) }
    }
}
