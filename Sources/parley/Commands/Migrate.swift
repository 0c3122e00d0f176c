import ArgumentParser
import Logging

/// Brings the database's tables up to this version.
struct Migrate: Command {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database up to this version.",
        discussion: "`parley serve` does it by itself; this is for databases that another account may change."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        try await Database.with(settings, mayCreate: true, logger: logger) { database in
            let applied = try await database.migrate(partitions: settings.logPartitions.value, logger: logger)
            print(applied.isEmpty ? "Nothing to do." : applied.map { "applied \($0)" }.joined(separator: "\n"))
        }
    }
}
