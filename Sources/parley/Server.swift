import API
import Attachments
import Edge
import EventSourcing
import EventStore
import Foundation
import Hints
import Hummingbird
import Identity
import Live
import Logging
import Messaging
import OpenID
import Outbound
import ParleyWire
import Postgres
import Reactors
import ReadModels
import ServiceLifecycle
import Web

/// The server's parts, built and joined: the only place that knows them all.
struct Server {
    private let settings: Configuration
    let logger: Logger
    let pool: PostgresPool
    let eventStore: EventStore
    let projecting: Projecting
    let versions: VersionWatch
    let queries: Queries
    let attachments: Attachments
    let devices: Devices
    let activity: PushActivity
    private let push: PushServices
    /// Asks the servers of webhooks.
    let webhookClient: OutboundClient
    let identity: Identity
    private let issuers: OpenIDIssuers
    private let hub: Hub
    let hints: HintChannel
    private let limiter: RateLimiter
    private let website: WebClient?
    /// What operators should know of mail.
    private let mailNote: String?
    private let drain = Drain()

    /// Opens the log of a migrated database, and everything that stands on it.
    ///
    /// - Parameters:
    ///   - projects: whether this process takes part in filling the read models.
    ///   - serves: whether it serves clients.
    static func open(
        _ settings: Configuration,
        on database: Database,
        projects: Bool = true,
        serves: Bool = false,
        logger: Logger
    ) async throws -> Server {
        let secret = try MasterKeyFile.load(settings)
        let configuration = PostgresConfiguration(
            url: database.url,
            role: "parley_server",
            // What is answered has reached the disk, whatever the database or the account has for a default.
            settings: ["statement_timeout": "10s", "jit": "off", "synchronous_commit": "on"]
        ).planningOnce(bitmaps: true)
        let pool = PostgresPool(configuration, maxConnections: settings.poolSize.value, logger: logger)
        // Before anything is read that this program might not understand.
        try await LogFormat.check(.ofProgram, in: pool)
        let eventStore = EventStore(
            identity: try await LogIdentity.read(from: pool),
            catalog: .ofProgram,
            masterKey: try secret.log,
            database: configuration,
            pool: pool,
            configuration: EventStore.Configuration(
                lanes: settings.lanes.value,
                version: Build.version,
                pollInterval: settings.pollInterval.value
            ),
            logger: logger
        )
        try await eventStore.feed.poll()
        let identity = try await openIdentity(settings, secret, eventStore, pool, serves: serves, logger)
        let projecting = Projecting(settings, of: eventStore, in: configuration, isPart: projects, logger: logger)
        let queries = Queries(
            pool: pool,
            partitions: eventStore.identity.partitions,
            keyring: eventStore.keyring,
            searchLanguage: settings.conversations.searchLanguage.value
        )
        let attachments = Attachments(
            try settings.attachmentSettings(),
            pool: pool,
            keyring: eventStore.keyring,
            signer: LinkSigner(masterKey: try secret.log),
            logger: logger
        )
        let devices = Devices(pool: pool, keyring: eventStore.keyring, masterKey: try secret.log)
        let hub = try await Hub.open(
            eventStore: eventStore,
            queries: queries,
            checkpoints: projecting.checkpoints,
            logger: logger
        )
        return Server(
            settings: settings,
            logger: logger,
            pool: pool,
            eventStore: eventStore,
            projecting: projecting,
            versions: VersionWatch(pool: pool, logger: logger),
            queries: queries,
            attachments: attachments,
            devices: devices,
            activity: PushActivity(pool: pool),
            push: try PushServices(
                settings,
                sharing: SharedPushTokens(pool: pool, keyring: eventStore.keyring),
                logger: logger
            ),
            webhookClient: try settings.webhookClient(logger: logger),
            identity: identity,
            issuers: try openIssuers(settings, logger),
            hub: hub,
            hints: openHints(configuration, eventStore, identity, hub, projecting, logger),
            limiter: settings.limits.value
                ? RateLimiter(settings.rates.limits, pool: pool, masterKey: secret.current) : .off,
            website: try await openWebsite(settings),
            mailNote: serves ? settings.mailNote : nil
        )
    }

    /// Everything that runs, in the order of starting; ended in the reverse order, so that clients are told first, then
    /// requests end, then the log, and the process is taken out last.
    func services(metrics: @escaping @Sendable () -> String) -> [any Service] {
        if let mailNote { logger.notice("Mail", metadata: ["note": "\(mailNote)"]) }
        let dependencies = dependencies(metrics: metrics)
        return backgroundServices(dependencies) + [
            Collector(attachments: attachments, eventStore: eventStore, logger: logger),
            limiter,
            hub,
            issuers,
            buildApplication(
                dependencies,
                host: settings.host.value,
                port: settings.port.value,
                limits: settings.connections.limits(isLimited: settings.limits.value),
                onServerRunning: { [logger, settings] channel in
                    if settings.operation.port.value == nil { ListeningFile(settings)?.write(channel.localAddress) }
                    logger.notice("Listening", metadata: ["address": "\(channel.localAddress?.description ?? "?")"])
                    if let url = settings.webClientURL(at: channel.localAddress) {
                        logger.notice("Open in a browser", metadata: ["url": "\(url)"])
                    }
                },
                logger: logger
            ),
            Draining(drain: drain, hub: hub, notice: settings.shutdownNotice.value),
        ]
    }

    /// Everything that runs where no clients are served.
    ///
    /// Files are collected by servers alone: where the files' directory is not, each would be taken for removed.
    func backgroundServices(metrics: @escaping @Sendable () -> String) -> [any Service] {
        backgroundServices(dependencies(metrics: metrics))
    }

    private func backgroundServices(_ dependencies: APIDependencies) -> [any Service] {
        operation(dependencies) + push.clients + [
            ProcessService(formats: eventStore.formats),
            hints,
            EventStoreService(eventStore: eventStore),
            SessionsService(sessions: eventStore.sessions),
            projecting,
            versions,
            ProjectionWatch(eventStore, projecting.checkpoints, leases: projecting.leases),
            SearchIndexer(
                pool: pool,
                checkpoints: projecting.checkpoints,
                language: settings.conversations.searchLanguage.value,
                logger: logger
            ),
            identity,
            ErasureWorker(eraser: eraser, logger: logger),
            ExpiryWorker(expirer: dependencies.expirer, logger: logger),
            ScheduledWorker(sender: dependencies.scheduled, alarm: dependencies.alarm, logger: logger),
            pushEngine,
            webhookClient,
            webhookEngine,
        ]
    }

    /// What answers on a port of its own, until everything else has ended.
    private func operation(_ dependencies: APIDependencies) -> [any Service] {
        guard let port = settings.operation.port.value else { return [] }
        let application = buildOperationApplication(
            dependencies,
            host: settings.operation.host.value,
            port: port,
            onServerRunning: { [logger, settings] channel in
                ListeningFile(settings)?.write(channel.localAddress)
                let address = "\(channel.localAddress?.description ?? "?")"
                logger.notice("Metrics and health are told", metadata: ["address": "\(address)"])
            },
            logger: logger
        )
        return [application]
    }

    var eraser: Eraser {
        Eraser(
            identity: identity,
            eventStore: eventStore,
            checkpoints: projecting.checkpoints,
            attachments: attachments
        )
    }

    private func dependencies(metrics: @escaping @Sendable () -> String) -> APIDependencies {
        let streams = StreamController(
            hub: hub,
            identity: identity,
            eventStore: eventStore,
            signer: attachments.signer
        )
        let sync = SyncController(hub: hub, identity: identity, queries: queries)
        return APIDependencies(
            identity: identity,
            eventStore: eventStore,
            queries: queries,
            attachments: attachments,
            devices: devices,
            activity: activity,
            webhookSender: WebhookSender(client: webhookClient),
            checkpoints: projecting.checkpoints,
            server: ServerInfo(
                version: Build.version,
                commit: Build.commit,
                limits: ServerLimits(
                    maxGroupMembers: settings.conversations.maxGroupSize.value,
                    maxScheduledMessages: settings.conversations.maxScheduled.value,
                    editWindowSeconds: Int(clamping: settings.conversations.editWindow.value.components.seconds),
                    maxImageBytes: attachments.limits.imageBytes,
                    maxFileBytes: attachments.limits.fileBytes,
                    maxAttachmentBytesPerPerson: attachments.limits.personBytes
                ),
                features: features,
                push: push.info
            ),
            readiness: readiness,
            metrics: metrics,
            hasOperationPort: settings.operation.port.value != nil,
            edge: edge,
            issuers: issuers,
            publishView: { [hub] in hub.viewChanged(of: $0, in: $1) },
            publishTyping: { [hub, hints] isTyping, person, conversation, members in
                guard hub.publishTyping(isTyping, by: person, in: conversation, among: members) else { return }
                hints.send(Hints(typing: [Hints.Typing(isTyping, by: person, in: conversation)]))
            },
            hintView: { [hints] in hints.send(Hints(views: [Hints.View(of: $0, in: $1)])) },
            presences: hub.presences,
            privateRoutes: { group in
                streams.addRoutes(to: group)
                sync.addRoutes(to: group)
            },
            website: website?.routes(rereading: settings.web.folder.value) ?? []
        )
    }

    private var features: [String] {
        let always = [
            "edits", "deletions", "reactions", "views", "permissions", "invites", "drafts", "typing",
            "systemMessages", "pins", "blocks", "reports", "batches", "stars", "forwards",
            "scheduled", "retention", "slowMode", "search", "presence", "attachments",
        ]
        return push.providers.isEmpty ? always : always + ["push"]
    }

    private var pushEngine: PushEngine {
        PushEngine(
            providers: push.providers,
            store: eventStore,
            checkpoints: projecting.checkpoints,
            queries: queries,
            devices: devices,
            activity: activity,
            logger: logger
        )
    }

    private var edge: EdgeRules {
        var rules = EdgeRules()
        rules.limiter = limiter
        rules.trustedProxies = settings.trustedProxies.value
        rules.crossOrigin = settings.corsOrigins.value
        rules.isBehindTLS = settings.behindTLS.value
        rules.cookiesOverHTTP = settings.cookiesOverHTTP.value
        rules.logsRequests = settings.operation.accessLog.value
        rules.answers = CallerBudget(limit: settings.connections.answerMemory.value << 20)
        rules.drain = drain
        rules.missingPage = website?.missing
        return rules
    }

    private var readiness: Readiness {
        Readiness(checks, notes: notes)
    }

    private var checks: [Readiness.Check] {
        [
            Readiness.Check("server") { [drain] in drain.hasBegun ? "about to stop" : nil },
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
            Readiness.Check("cookies") { [over = settings.cookiesOverHTTP] in
                over.value ? "taken over plain HTTP, where others can read them (\(over.environmentName))" : nil
            },
            Readiness.Check("mail") { [mailNote] in mailNote },
            stoppedPartitions, parkedStreams, mismatches,
        ] + attachments.troubles.map { Readiness.Check($0.name, reason: $0.ask) } + push.notes
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

/// Holds the session by which the others see this process living, until whatever it has claimed is given back.
private struct SessionsService: Service {
    let sessions: ProcessSessions

    func run() async {
        await cancelWhenGracefulShutdown { await sessions.run() }
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
