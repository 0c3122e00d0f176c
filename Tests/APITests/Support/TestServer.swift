import API
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
import OpenID
import ParleyWire
import Postgres
import Reactors
import ReadModels
import TestSupport
import Testing

@testable import Edge

/// A whole server on the running test's database, asked through its router or over a socket.
struct TestServer: Sendable {
    let client: any TestClientProtocol
    let eventStore: EventStore
    let identity: Identity
    let dependencies: APIDependencies
    private let isProjecting: Bool

    struct Options: Sendable {
        var setup: TestingSetup = .router
        var isProjecting = true
        var limits = EdgeLimits.patient
        /// What requests are limited to, where the policies' defaults are not meant; nil for no limits at all.
        var rates: [RatePolicy: RateLimit]?
        var edge = EdgeRules()
        var issuers = OpenIDIssuers.none
        var server = ServerInfo(version: "test", limits: ServerLimits(), features: [])
        var readiness = Readiness([])
        var laneQueue = 4_096
        var answerBytes = Queries.standardAnswerBytes
        var pool: PostgresPool?
        var logger = SecretWatch.logger
        var privateRoutes: @Sendable (Routes<CallerContext>) -> Void = { _ in }
        var now: @Sendable () -> Date = { Date() }
        var mail = MailConfiguration()
        var reservedNames: [String] = []
        /// When commands are accepted, and what was scheduled is sent.
        var clock = CommandClock()
        var webhookSender: WebhookSender?
        var attachments: @Sendable (inout Attachments.Settings) -> Void = { _ in }
        var website: [Route] = []
    }

    /// Builds a server, runs it while the test's body runs, and ends it.
    static func with(
        _ configure: (inout Options) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var options = Options()
        configure(&options)
        let parts = try await Parts(options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await parts.eventStore.run() }
            if options.isProjecting { group.addTask { await parts.projector.run() } }
            let dependencies = parts.dependencies(options)
            let isProjecting = options.isProjecting
            let application = buildApplication(
                dependencies,
                port: 0,
                limits: options.limits,
                logger: options.logger
            )
            try await application.test(options.setup) { client in
                try await body(
                    TestServer(
                        client: client,
                        eventStore: parts.eventStore,
                        identity: parts.identity,
                        dependencies: dependencies,
                        isProjecting: isProjecting
                    )
                )
            }
            parts.eventStore.close()
            group.cancelAll()
        }
    }

    /// Registers a person and signs in; others see a name at once.
    func register(_ name: String? = nil) async throws -> Person {
        let email = "\(UUID().uuidString.lowercased())@example.org"
        var body = ["email": email, "password": "correct horse"]
        body["displayName"] = name
        let answer = try await send(.post, "/v1/auth/register", body: .object(body.mapValues { .string($0) }))
        let session = try answer.decode(Session.self, status: .created)
        SecretWatch.add(session.refreshToken)
        let person = Person(server: self, session: session, email: email)
        if let name, isProjecting { try await person.rename(to: name) }
        return person
    }

    /// Sends a request as nobody.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: JSONValue? = nil
    ) async throws -> Answer {
        try await send(method, path, headers: headers, text: body.map { try String(json: $0) })
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        text: String?
    ) async throws -> Answer {
        var headers = headers
        if text != nil, !headers.contains(.contentType) { headers[.contentType] = "application/json" }
        if method == .get, isProjecting, headers[.authorization] != nil, !headers.contains(.parleyWaitFor) {
            await showLog()
        }
        let response = try await client.executeRequest(
            uri: path,
            method: method,
            headers: headers,
            body: text.map { ByteBuffer(string: $0) }
        )
        let body = Data(response.body.readableBytesView)
        let answer = Answer(status: response.status, headers: response.headers, body: body)
        if answer.status.code >= 400 { SecretWatch.inspect(answer.text, "a problem document") }
        return answer
    }
}

extension TestServer {
    /// Waits until the read models show what the log holds: queries may lag, and what a test says is not about that.
    ///
    /// What cannot be shown, since the database is away or a partition stands, is not waited for long.
    private func showLog() async {
        guard let heads = try? await eventStore.log.heads() else { return }
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        _ = try? await dependencies.checkpoints.wait(for: positions, timeout: .seconds(10))
    }
}

extension TestServer {
    /// What a server process builds at its start.
    private struct Parts {
        let eventStore: EventStore
        let identity: Identity
        let checkpoints: Checkpoints
        let projector: Projector
        let queries: Queries
        let attachments: Attachments
        let devices: Devices

        static let secret = Array(repeating: UInt8(7), count: 32)

        init(_ options: Options) async throws {
            let database = TestDatabase.current
            let pool = options.pool ?? database.pool
            try await database.administrator.withConnection { connection in
                try await LogIdentity.create(partitions: 4, on: connection)
            }
            guard let masterKey = MasterKey(bytes: Self.secret) else { throw WrongKeyLength() }
            let configuration = PostgresConfiguration(url: database.url, role: "parley_server")
            let eventStore = EventStore(
                identity: try await LogIdentity.read(from: database.pool),
                catalog: .messaging,
                masterKey: masterKey,
                database: configuration,
                pool: pool,
                configuration: .init(lanes: 2, laneQueue: options.laneQueue, commandDeadline: .seconds(60)),
                logger: options.logger
            )
            self.eventStore = eventStore
            var accounts = IdentityConfiguration()
            accounts.passwordCost = 4
            accounts.passwordQueueLimit = 1_000
            accounts.mail = options.mail
            accounts.displayName.reserved = ReservedNames(adding: options.reservedNames)
            identity = try await Identity.open(
                accounts,
                pool: pool,
                masterKeys: MasterKeys(SymmetricKey(data: Self.secret)),
                registerProfile: { try await eventStore.register($0, $1) },
                logger: options.logger,
                now: options.now
            )
            checkpoints = Checkpoints(partitions: 4)
            projector = Projector(
                feed: eventStore.feed,
                checkpoints: checkpoints,
                database: configuration,
                logger: options.logger
            )
            queries = Queries(
                pool: pool,
                partitions: 4,
                keyring: eventStore.keyring,
                answerBytes: options.answerBytes
            )
            attachments = try .testing(
                eventStore,
                masterKey: masterKey,
                pool: pool,
                logger: options.logger,
                options.attachments
            )
            devices = Devices(pool: pool, keyring: eventStore.keyring, masterKey: masterKey)
        }

        struct WrongKeyLength: Error {}

        func dependencies(_ options: Options) -> APIDependencies {
            var edge = options.edge
            if let rates = options.rates {
                let secret = SymmetricKey(data: Self.secret)
                edge.limiter = RateLimiter(rates, pool: options.pool ?? TestDatabase.current.pool, masterKey: secret)
            }
            return APIDependencies(
                identity: identity,
                eventStore: eventStore,
                queries: queries,
                attachments: attachments,
                devices: devices,
                webhookSender: options.webhookSender,
                checkpoints: checkpoints,
                server: options.server,
                readiness: options.readiness,
                metrics: { "# metrics\n" },
                clock: options.clock,
                // Where others run beside, a projector has to wait for its turn, too.
                visibilityTimeout: options.isProjecting ? .seconds(60) : .milliseconds(100),
                edge: edge,
                issuers: options.issuers,
                privateRoutes: options.privateRoutes,
                website: options.website
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

extension String {
    /// JSON text of a value.
    init(json value: JSONValue) throws {
        self.init(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
    }
}
