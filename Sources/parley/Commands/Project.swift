import API
import ArgumentParser
import Attachments
import EventStore
import Logging
import Metrics
import Postgres
import ServiceLifecycle

/// Fills read models, and does what else is done behind the clients, without serving any.
struct Project: Command {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Fill the read models, without serving clients.",
        discussion: """
            Works beside servers on the same database, which share what there is to do with it, or leave it all to it with \
            `parley serve --without-projectors`. Scheduled and disappearing messages, erasures and the index for searches \
            are among it; taking away files that are gone is not, which is left to servers. The database is one that a \
            server has migrated. SIGTERM and SIGINT end it in order: its share passes to the others at once.
            """
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        settings.warnOfUnknownVariables(logger)
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        try await Database.with(settings, logger: logger) { database in
            let server = try await Server.open(settings, on: database, logger: logger)
            let result: Result<Void, any Error>
            do {
                // Before anything is written: from here on no other process writes what this one cannot read.
                try await server.eventStore.formats.beat()
                let services = server.backgroundServices {
                    metrics.text() + ProcessMetrics.text() + Build.metrics
                }
                logger.notice("Projecting")
                try await ServiceGroup(services, stoppingWithin: settings.shutdownGrace.value, logger: logger).run()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await server.attachments.close()
            await server.pool.close()
            try result.get()
        }
    }
}
