import ArgumentParser
import Logging
import Migrations
import Postgres

/// Shows how the database stands.
struct Status: Command {
    static let configuration = CommandConfiguration(
        abstract: "Show whether the database runs and is up to date.",
        discussion: "Ends with 69 where no server is running."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard let database = Database.running(settings) else {
            print("No server is running on \(settings.dataDirectory.value).")
            throw ExitCode(69)
        }
        let configuration = PostgresConfiguration(url: database.migrateURL)
        let connection = try await PostgresConnection.connect(configuration, logger: logger)
        let pending = try await Migrator(files: Migrations.all).pending(on: connection)
        await connection.close()
        print("database    reachable")
        print("migrations  \(pending.isEmpty ? "all applied" : "missing: " + pending.joined(separator: ", "))")
    }
}
