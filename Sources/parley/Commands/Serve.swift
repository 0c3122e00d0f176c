import API
import ArgumentParser
import EventStore
import Logging
import Metrics
import Postgres
import ServiceLifecycle
import UnixSignals

/// Runs the server until it is told to stop.
struct Serve: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            Without a DATABASE_URL the first start makes a private PostgreSQL in the data directory, and every start \
            runs it. SIGTERM and SIGINT end the server in order: no new requests, streams told to reconnect, \
            everything written.
            """
    )

    @Flag(help: "Leave filling the read models to other servers, or to `parley project`.")
    var withoutProjectors = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        settings.warnOfUnknownVariables(logger)
        // First of all: a metric that is used before this counts for nobody.
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        // Before anything is started where it can be known by then: the private database's own key is made with it.
        _ = try settings.openIDProviders()
        if settings.databaseURL.value != nil { _ = try MasterKeyFile.load(settings) }
        _ = try PushServices(settings, logger: logger)
        let database = try await Database.start(settings, logger: logger)
        // Beside the services, not one of them: PostgreSQL ends when all that use it have ended, however they ended.
        async let supervision: Void? = database.embedded?.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve(from: database, metrics: metrics, logger: logger))
        } catch {
            result = .failure(ListenError(error, address: settings.addresses) ?? error)
        }
        await database.embedded?.stop()
        _ = await supervision
        try result.get()
    }

    private func serve(from database: Database, metrics: PrometheusMetrics, logger: Logger) async throws {
        _ = try MasterKeyFile.load(settings)
        let applied = try await database.migrate(partitions: settings.logPartitions.value, logger: logger)
        for name in applied { logger.debug("Migrated", metadata: ["file": "\(name)"]) }
        if !applied.isEmpty {
            logger.notice("Brought the database up to this version", metadata: ["migrations": "\(applied.count)"])
        }
        FileLimit.raise(for: settings.connections.total.value, logger: logger)
        if !settings.limits.value {
            logger.warning("Rate limits are off", metadata: ["setting": "\(settings.limits.environmentName)"])
        }
        let server = try await Server.open(
            settings,
            on: database,
            projects: !withoutProjectors,
            serves: true,
            logger: logger
        )
        let result: Result<Void, any Error>
        do {
            // Before anything is written: from here on no other process writes what this one cannot read.
            try await server.eventStore.formats.beat()
            result = .success(try await run(server, metrics: metrics, logger: logger))
        } catch {
            result = .failure(error)
        }
        await server.pool.close()
        try result.get()
    }

    private func run(_ server: Server, metrics: PrometheusMetrics, logger: Logger) async throws {
        let directory = settings.databaseURL.value == nil ? settings.dataDirectory.value : nil
        let services = server.services {
            metrics.text() + ProcessMetrics.text(directory: directory) + Build.metrics
        }
        try await ServiceGroup(
            services,
            stoppingWithin: settings.shutdownGrace.value + settings.shutdownNotice.value,
            logger: logger
        ).run()
    }
}

extension ServiceGroup {
    /// - Parameter limit: how long services may take to end in order.
    init(_ services: [any Service], stoppingWithin limit: Duration, logger: Logger) {
        var configuration = ServiceGroupConfiguration(
            // One that fails takes the others with it, in order: what was accepted is written, streams are told.
            services: services.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = limit
        self.init(configuration: configuration)
    }
}
