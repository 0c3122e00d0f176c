import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport

/// The parts of a server that append and project, on the running test's database.
struct TestLog: Sendable {
    let store: EventStore
    let checkpoints: Checkpoints

    static let masterKey = Array(repeating: UInt8(7), count: 32)
    static let partitions = 4

    struct WrongKeyLength: Error {}

    /// Runs a server while the test's body runs.
    static func with(
        catalog: EventCatalog = .messaging,
        isProjecting: Bool = false,
        _ body: @Sendable (TestLog) async throws -> Void
    ) async throws {
        let log = try await open(catalog: catalog)
        try await log.store.feed.poll()
        try await Changes.watch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Changes.listen() }
            group.addTask { await log.store.run() }
            if isProjecting { group.addTask { await log.projector().run() } }
            try await body(log)
            log.store.close()
            group.cancelAll()
        }
    }

    private static func open(catalog: EventCatalog) async throws -> TestLog {
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: partitions, on: connection)
        }
        guard let key = MasterKey(bytes: masterKey) else { throw WrongKeyLength() }
        let store = EventStore(
            identity: try await LogIdentity.read(from: database.pool),
            catalog: catalog,
            masterKey: key,
            database: configuration,
            pool: database.pool,
            configuration: EventStore.Configuration(lanes: 2, commandDeadline: .seconds(60)),
            logger: SecretWatch.logger
        )
        return TestLog(store: store, checkpoints: Checkpoints(partitions: partitions))
    }

    static var configuration: PostgresConfiguration {
        PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
    }

    private func projector() -> Projector {
        Projector(
            feed: store.feed,
            checkpoints: checkpoints,
            database: Self.configuration,
            patience: .seconds(5),
            logger: SecretWatch.logger
        )
    }

    // MARK: Commands

    func register(_ people: UUID...) async throws {
        for person in people {
            try await store.keyring.ensureKey(for: person)
            _ = try await store.handle(
                .register(displayName: "Somebody"),
                of: UserDecider.self,
                on: person,
                context: CommandContext(commandID: person, actor: person, now: Date()),
                answer: { _ in }
            )
        }
    }

    /// A group of these people, and of somebody who says nothing where they would be too few.
    func startGroup(_ id: UUID, _ people: UUID...) async throws {
        var members = people
        while members.count < 3 {
            members.append(UUID())
            try await register(members[members.count - 1])
        }
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
    func send(
        _ text: String,
        to id: UUID,
        by sender: UUID,
        message: UUID = UUID(),
        mentioning mentions: [UUID] = []
    ) async throws -> UUID {
        let send = SendMessage(
            messageID: message,
            sender: sender,
            text: text,
            replyTo: nil,
            mentions: mentions,
            clientTimestamp: nil
        )
        try await handle(.send(send), on: id, command: message, by: sender)
        return message
    }

    func handle(
        _ command: ConversationCommand,
        on id: UUID,
        command commandID: UUID = UUID(),
        by actor: UUID
    )
        async throws
    {
        _ = try await store.handle(
            command,
            of: ConversationDecider.self,
            on: id,
            context: CommandContext(commandID: commandID, actor: actor, now: Date()),
            answer: { _ in }
        )
    }
}
