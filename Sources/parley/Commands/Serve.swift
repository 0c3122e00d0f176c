import ArgumentParser
import Logging
import Postgres
import ServiceLifecycle
import UnixSignals

/// Runs the server until it is told to stop.
struct Serve: Command {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Without a DATABASE_URL the first start makes a private PostgreSQL in the data directory, and every start \
            runs it. SIGTERM and SIGINT end the server in order: no new requests, streams told to reconnect, \
            everything written.
            """
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let database = try await Database.start(settings, logger: logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve(from: database, logger: logger))
        } catch {
            result = .failure(error)
        }
        await database.embedded?.stop()
        try result.get()
    }

    private func serve(from database: Database, logger: Logger) async throws {
        for name in try await database.migrate(logger: logger) {
            logger.notice("Migrated", metadata: ["file": "\(name)"])
        }
        // Ended in the reverse order: PostgreSQL when nobody uses it any more.
        var services: [any Service] = []
        if let embedded = database.embedded { services.append(EmbeddedPostgresService(postgres: embedded)) }
        logger.notice("Ready")
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }
}
