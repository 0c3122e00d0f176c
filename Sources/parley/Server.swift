import API
import Crypto
import Edge
import EventSourcing
import EventStore
import Foundation
import Hummingbird
import Identity
import Live
import Logging
import Messaging
import ParleyWire
import Postgres
import ReadModels
import ServiceLifecycle

/// The server's parts, built and joined: the only place that knows them all.
struct Server {
    private let settings: Configuration
    private let logger: Logger
    let pool: PostgresPool
    let eventStore: EventStore
    let checkpoints: Checkpoints
    let projector: Projector
    let versions: VersionWatch
    private let queries: Queries
    let identity: Identity
    private let hub: Hub
    private let limiter: RateLimiter

    /// Opens the log of a migrated database, and everything that stands on it.
    static func open(_ settings: Configuration, on database: Database, logger: Logger) async throws -> Server {
        let secret = try MasterKeyFile.load(settings)
        let configuration = PostgresConfiguration(
            url: database.url,
            role: "parley_server",
            // What is answered has reached the disk, whatever the database or the account has for a default.
            settings: ["statement_timeout": "10s", "jit": "off", "synchronous_commit": "on"]
        )
        let pool = PostgresPool(configuration, maxConnections: settings.poolSize.value, logger: logger)
        // Before anything is read that this program might not understand.
        try await LogFormat.check(.messaging, in: pool)
        let eventStore = EventStore(
            identity: try await LogIdentity.read(from: pool),
            catalog: .messaging,
            masterKey: try secret.masterKey,
            database: configuration,
            pool: pool,
            configuration: EventStore.Configuration(lanes: settings.lanes.value, version: Parley.version),
            logger: logger
        )
        try await eventStore.feed.poll()
        let checkpoints = Checkpoints(partitions: eventStore.identity.partitions)
        let queries = Queries(pool: pool, partitions: eventStore.identity.partitions, keyring: eventStore.keyring)
        return Server(
            settings: settings,
            logger: logger,
            pool: pool,
            eventStore: eventStore,
            checkpoints: checkpoints,
            projector: Projector(
                feed: eventStore.feed,
                checkpoints: checkpoints,
                database: configuration,
                workers: settings.projectors.value,
                logger: logger
            ),
            versions: VersionWatch(pool: pool, logger: logger),
            queries: queries,
            identity: try await openIdentity(settings, secret, eventStore, pool, logger),
            hub: try await Hub.open(
                eventStore: eventStore,
                queries: queries,
                checkpoints: checkpoints,
                logger: logger
            ),
            limiter: settings.limits.value
                ? RateLimiter(settings.rates.limits, pool: pool, masterKey: secret) : .off
        )
    }

    private static func openIdentity(
        _ settings: Configuration,
        _ secret: SymmetricKey,
        _ eventStore: EventStore,
        _ pool: PostgresPool,
        _ logger: Logger
    ) async throws -> Identity {
        var configuration = IdentityConfiguration()
        configuration.passwordCost = settings.scryptCost.value
        configuration.passwordThreads = 2
        // A ninth of the weight of what answers requests: where cores are short, signing in waits and sending does not.
        configuration.passwordNiceness = 10
        configuration.passwordQueueLimit = 128
        configuration.accessTokenLifetime = settings.accessTokenLifetime.value
        configuration.refreshTokenLifetime = settings.refreshTokenLifetime.value
        configuration.sessionLimit = settings.maxSessions.value
        configuration.resetTokenLifetime = settings.resetTokenLifetime.value
        configuration.emailTokenLifetime = settings.emailTokenLifetime.value
        configuration.mail = try settings.mail()
        if let note = settings.mailNote { logger.notice("Mail", metadata: ["note": "\(note)"]) }
        return try await Identity.open(
            configuration,
            pool: pool,
            masterKey: secret,
            registerProfile: { account, displayName in
                try await eventStore.register(account, displayName: displayName)
            },
            logger: logger
        )
    }

    /// Everything that runs, in the order of starting; ended in the reverse order, so that requests end first, then the
    /// log, and the process is taken out last.
    func services(metrics: @escaping @Sendable () -> String) -> [any Service] {
        [
            ProcessService(formats: eventStore.formats),
            EventStoreService(eventStore: eventStore),
            ProjectorService(projector: projector),
            versions,
            identity,
            limiter,
            ErasureWorker(eraser: eraser, logger: logger),
            hub,
            buildApplication(
                dependencies(metrics: metrics),
                host: settings.host.value,
                port: settings.port.value,
                limits: settings.connections.limits(isLimited: settings.limits.value),
                onServerRunning: { [logger] channel in
                    logger.notice("Listening", metadata: ["address": "\(channel.localAddress?.description ?? "?")"])
                },
                logger: logger
            ),
        ]
    }

    var eraser: Eraser {
        Eraser(identity: identity, eventStore: eventStore, checkpoints: checkpoints)
    }

    private func dependencies(metrics: @escaping @Sendable () -> String) -> APIDependencies {
        let streams = StreamController(hub: hub, identity: identity, eventStore: eventStore)
        let sync = SyncController(hub: hub, identity: identity, queries: queries)
        return APIDependencies(
            identity: identity,
            eventStore: eventStore,
            queries: queries,
            checkpoints: checkpoints,
            server: ServerInfo(
                version: Parley.version,
                limits: ServerLimits(maxGroupMembers: settings.maxGroupSize.value),
                features: ["views", "permissions", "invites", "drafts"]
            ),
            readiness: readiness,
            metrics: metrics,
            edge: edge,
            tell: { [hub] in hub.tell($0, $1) },
            privateRoutes: { group in
                streams.addRoutes(to: group)
                sync.addRoutes(to: group)
            }
        )
    }

    private var edge: EdgeRules {
        var rules = EdgeRules()
        rules.limiter = limiter
        rules.trustedProxies = settings.trustedProxies.value
        rules.crossOrigin = settings.corsOrigins.value
        rules.isBehindTLS = settings.behindTLS.value
        return rules
    }

    private var readiness: Readiness {
        Readiness(checks, notes: notes)
    }

    private var checks: [Readiness.Check] {
        [
            Readiness.Check("database") { [pool] in
                do {
                    _ = try await pool.query("SELECT 1")
                    return nil
                } catch {
                    return "not reachable"
                }
            },
            newerEvents, projectors,
        ]
    }

    private var notes: [Readiness.Check] {
        [
            Readiness.Check("limits") { [limits = settings.limits] in
                limits.value ? nil : "off: nobody is slowed down (\(limits.environmentName))"
            },
            Readiness.Check("mail") { [settings] in settings.mailNote },
            stoppedPartitions, mismatches,
        ]
    }
}

extension EventStore {
    /// Makes a person's key and tells the log of the person; changes nothing when repeated.
    func register(_ account: UUID, displayName: String?) async throws {
        try await keyring.ensureKey(for: account)
        _ = try await handle(
            .register(displayName: displayName),
            of: UserDecider.self,
            on: account,
            context: CommandContext(commandID: account, actor: account, now: Date()),
            answer: { _ in }
        )
    }
}

/// Shows the other processes that this one lives, until everything else has ended.
///
/// Throws where a newer program has raised the log's format meanwhile, as it may once this process was taken for dead: all
/// services end in order then.
private struct ProcessService: Service {
    let formats: FormatGate

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await formats.run() }
        await formats.leave()
    }
}

/// Runs the lanes and the feed, and finishes the commands that wait before it ends.
private struct EventStoreService: Service {
    let eventStore: EventStore

    func run() async throws {
        await withGracefulShutdownHandler {
            await eventStore.run()
        } onGracefulShutdown: {
            eventStore.close()
        }
    }
}

private struct ProjectorService: Service {
    let projector: Projector

    func run() async throws {
        await projector.run()
    }
}
