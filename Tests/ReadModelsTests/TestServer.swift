import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import Migrations
import Postgres
import ReadModels
import TestSupport

/// The parts of a server that append and project, on the running test's database.
struct TestServer: Sendable {
    let store: EventStore
    let checkpoints: Checkpoints
    let queries: Queries

    private static let masterKey = Array(repeating: UInt8(7), count: 32)
    static let logger = SecretWatch.logger

    struct WrongKeyLength: Error {}

    /// Runs a server while the test's body runs.
    static func with(
        partitions: Int = 4,
        projecting: Bool = true,
        patience: Duration = .seconds(5),
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let server = try await open(partitions: partitions)
        try await server.store.feed.poll()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.store.run() }
            if projecting { group.addTask { await server.projector(patience: patience).run() } }
            try await body(server)
            server.store.close()
            group.cancelAll()
        }
    }

    private static func open(partitions: Int) async throws -> TestServer {
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: partitions, on: connection)
        }
        guard let key = MasterKey(bytes: masterKey) else { throw WrongKeyLength() }
        let store = EventStore(
            identity: try await LogIdentity.read(from: database.pool),
            catalog: .messaging,
            masterKey: key,
            database: configuration,
            pool: database.pool,
            configuration: EventStore.Configuration(lanes: 2, commandDeadline: .seconds(60)),
            logger: logger
        )
        return TestServer(
            store: store,
            checkpoints: Checkpoints(partitions: partitions),
            queries: Queries(pool: database.pool, partitions: partitions)
        )
    }

    private static var configuration: PostgresConfiguration {
        PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
    }

    /// One more projector, as another process would have it.
    func projector(_ checkpoints: Checkpoints? = nil, patience: Duration = .seconds(5)) -> Projector {
        Projector(
            feed: store.feed,
            checkpoints: checkpoints ?? self.checkpoints,
            database: Self.configuration,
            patience: patience,
            logger: Self.logger
        )
    }

    func rebuild() -> Rebuild {
        Rebuild(
            log: store.log,
            database: PostgresConfiguration(url: TestDatabase.current.url),
            migrations: Migrations.readModels,
            logger: Self.logger
        )
    }

    func unparking() -> Unparking {
        Unparking(log: store.log, database: Self.configuration, logger: Self.logger)
    }

    /// An id that falls into a partition.
    func id(in partition: Int) -> UUID {
        while true {
            let id = UUID()
            if store.identity.partition(of: id) == partition { return id }
        }
    }

    func verification() -> Verification {
        Verification(pool: TestDatabase.current.pool, partitions: store.identity.partitions)
    }

    func waitForProjector() async throws {
        let heads = try await store.log.heads()
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        guard try await checkpoints.wait(for: positions, timeout: .seconds(60)) else { throw NotProjected() }
    }

    struct NotProjected: Error {}

    // MARK: Commands

    func register(_ people: [UUID]) async throws {
        for (index, person) in people.enumerated() {
            try await store.keyring.ensureKey(for: person)
            _ = try await store.handle(
                .register(displayName: "Person \(index)"),
                of: UserDecider.self,
                on: person,
                context: CommandContext(commandID: person, actor: person, now: Date()),
                answer: { _ in }
            )
        }
    }

    func startGroup(_ id: UUID, _ members: [UUID]) async throws {
        let start = StartGroup(
            owner: members[0],
            participants: Array(members.dropFirst()),
            name: "Friends",
            icon: nil,
            joinPolicy: .open,
            historyVisibility: .all,
            maxMembers: 100
        )
        try await handle(.startGroup(start), on: id, command: id, by: members[0])
    }

    @discardableResult
    func send(_ text: String, to id: UUID, by sender: UUID) async throws -> Cursor {
        let message = UUID()
        let send = SendMessage(
            messageID: message,
            sender: sender,
            text: text,
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil
        )
        return try await handle(.send(send), on: id, command: message, by: sender)
    }

    @discardableResult
    func handle(
        _ command: ConversationCommand,
        on id: UUID,
        command commandID: UUID = UUID(),
        by actor: UUID
    ) async throws -> Cursor {
        try await store.handle(
            command,
            of: ConversationDecider.self,
            on: id,
            context: CommandContext(commandID: commandID, actor: actor, now: Date()),
            answer: { _ in }
        ).token
    }
}
