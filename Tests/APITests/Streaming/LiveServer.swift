import Attachments
import Crypto
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import Messaging
import NIOCore
import ParleyWire
import Postgres
import Reactors
import ReadModels
import ServiceLifecycle
import TestSupport
import Testing

@testable import API
@testable import Live

/// A server on a socket, with its hub, on the running test's database.
struct LiveServer: Sendable {
    let eventStore: EventStore
    let identity: Identity
    let queries: Queries
    let checkpoints: Checkpoints
    let hub: Hub
    let client: any TestClientProtocol
    let port: Int
    let dependencies: APIDependencies
    let quiet = Quiet()

    struct Options: Sendable {
        var partitions = 4
        var catalog = EventCatalog.messaging
        var limits = StreamLimits()
        var tokenLifetime: Duration = .seconds(900)
        var answerBytes = Queries.standardAnswerBytes
        var clock = LiveClock()
        /// Gets what the hub logs.
        var logger = LiveServer.logger
        /// Says when commands are accepted.
        var commandClock = CommandClock()
        /// Where files are kept; nil for a directory of its own.
        var files: String?
        /// Called before anything runs.
        var join: @Sendable (Parts) -> Void = { _ in }
        /// Called with who is typing where other processes are to be told.
        var onTyping: @Sendable (_ isTyping: Bool, _ person: UUID, _ conversation: UUID) -> Void = { _, _, _ in }
    }

    static let logger = SecretWatch.logger

    static func with(
        _ configure: (inout Options) -> Void = { _ in },
        _ body: @escaping @Sendable (LiveServer) async throws -> Void
    ) async throws {
        var options = Options()
        configure(&options)
        let parts = try await Parts(options)
        options.join(parts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await parts.eventStore.run() }
            group.addTask { await parts.projector.run() }
            group.addTask { await parts.follower.run() }
            group.addTask { await parts.hub.run() }
            group.addTask { try await parts.identity.run() }
            let dependencies = parts.dependencies(onTyping: options.onTyping)
            let application = buildApplication(dependencies, port: 0, limits: .patient, logger: logger)
            try await application.test(.live) { client in
                try await body(
                    LiveServer(
                        eventStore: parts.eventStore,
                        identity: parts.identity,
                        queries: parts.queries,
                        checkpoints: parts.checkpoints,
                        hub: parts.hub,
                        client: client,
                        port: client.port ?? 0,
                        dependencies: dependencies
                    )
                )
            }
            parts.eventStore.close()
            group.cancelAll()
        }
    }

    struct Parts: Sendable {
        let eventStore: EventStore
        let identity: Identity
        let queries: Queries
        let checkpoints: Checkpoints
        let projector: Projector
        let follower: CheckpointFollower
        let hub: Hub
        let attachments: Attachments
        let devices: Devices
        let commandClock: CommandClock

        private static let secret = Array(repeating: UInt8(7), count: 32)

        init(_ options: Options) async throws {
            let database = TestDatabase.current
            try await database.administrator.withConnection { connection in
                try await LogIdentity.create(partitions: options.partitions, on: connection)
            }
            let configuration = PostgresConfiguration(url: database.url, role: "parley_server")
            let eventStore = EventStore(
                identity: try await LogIdentity.read(from: database.pool),
                catalog: options.catalog,
                masterKey: try #require(MasterKey(bytes: Self.secret)),
                database: configuration,
                pool: database.pool,
                configuration: .init(lanes: 2, commandDeadline: .seconds(60)),
                logger: LiveServer.logger
            )
            self.eventStore = eventStore
            var accounts = IdentityConfiguration()
            accounts.passwordCost = 4
            accounts.passwordQueueLimit = 1_000
            accounts.accessTokenLifetime = options.tokenLifetime
            identity = try await Identity.open(
                accounts,
                pool: database.pool,
                masterKeys: MasterKeys(SymmetricKey(data: Self.secret)),
                registerProfile: { try await eventStore.register($0, $1) },
                logger: LiveServer.logger
            )
            queries = Queries(
                pool: database.pool,
                partitions: options.partitions,
                keyring: eventStore.keyring,
                answerBytes: options.answerBytes
            )
            checkpoints = Checkpoints(partitions: options.partitions)
            // Several live servers on one database share the work, as processes do.
            let leases = ProjectionLeases(
                partitions: options.partitions,
                database: configuration,
                logger: LiveServer.logger
            )
            follower = CheckpointFollower(
                checkpoints,
                leases: leases,
                epoch: eventStore.epoch,
                database: configuration,
                logger: LiveServer.logger
            )
            projector = Projector(
                feed: eventStore.feed,
                leases: leases,
                checkpoints: checkpoints,
                database: configuration,
                logger: LiveServer.logger
            )
            commandClock = options.commandClock
            let heads = PositionVector(try await eventStore.log.heads())
            attachments = try .testing(
                eventStore,
                masterKey: try #require(MasterKey(bytes: Self.secret)),
                pool: database.pool
            ) { settings in
                if let files = options.files { settings.directory = files }
            }
            devices = Devices(
                pool: database.pool,
                keyring: eventStore.keyring,
                masterKey: try #require(MasterKey(bytes: Self.secret))
            )
            hub = Hub(eventStore, queries, checkpoints, heads, options.limits, options.logger, clock: options.clock)
        }

        func dependencies(
            onTyping: @escaping @Sendable (Bool, UUID, UUID) -> Void = { _, _, _ in }
        ) -> APIDependencies {
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
                checkpoints: checkpoints,
                server: ServerInfo(version: "test", limits: ServerLimits(), features: []),
                readiness: Readiness([]),
                metrics: { "" },
                clock: commandClock,
                visibilityTimeout: .seconds(60),
                publishView: { [hub] in hub.viewChanged(of: $0, in: $1) },
                publishTyping: { [hub] isTyping, person, conversation, members in
                    guard hub.publishTyping(isTyping, by: person, in: conversation, among: members) else { return }
                    onTyping(isTyping, person, conversation)
                },
                presences: hub.presences,
                privateRoutes: { group in
                    streams.addRoutes(to: group)
                    sync.addRoutes(to: group)
                }
            )
        }
    }
}

extension EventStore {
    fileprivate func register(_ person: UUID, _ displayName: String?) async throws {
        try await keyring.ensureKey(for: person)
        _ = try await handle(
            .register(displayName: displayName),
            of: UserDecider.self,
            on: person,
            context: CommandContext(commandID: person, actor: person, now: Date()),
            answer: { _ in }
        )
    }
}
