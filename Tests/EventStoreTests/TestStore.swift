import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import Postgres
import TestSupport

/// An event store on the running test's database, as a server process would have it.
struct TestStore {
    let store: EventStore

    static let masterKey = Array(repeating: UInt8(7), count: 32)

    /// Opens a store, runs it while the test's body runs, and ends it.
    static func with(
        lanes: Int = 2,
        partitions: Int = 4,
        catalog: EventCatalog = .messaging,
        commandDeadline: Duration = .seconds(60),
        isPolling: Bool = true,
        _ body: @Sendable (TestStore) async throws -> Void
    ) async throws {
        let store = try await open(
            lanes: lanes,
            partitions: partitions,
            catalog: catalog,
            commandDeadline: commandDeadline
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                if isPolling { await store.store.run() } else { await store.store.feed.followHints() }
            }
            try await body(store)
            store.store.close()
            group.cancelAll()
        }
    }

    private static func open(
        lanes: Int,
        partitions: Int,
        catalog: EventCatalog,
        commandDeadline: Duration
    ) async throws -> TestStore {
        let database = TestDatabase.current
        try await database.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: partitions, on: connection)
        }
        guard let key = MasterKey(bytes: masterKey) else { throw WrongKeyLength() }
        return TestStore(
            store: EventStore(
                identity: try await LogIdentity.read(from: database.pool),
                catalog: catalog,
                masterKey: key,
                database: PostgresConfiguration(url: database.url, role: "parley_server"),
                pool: database.pool,
                configuration: EventStore.Configuration(lanes: lanes, commandDeadline: commandDeadline),
                logger: SecretWatch.logger
            )
        )
    }

    func register(_ people: UUID...) async throws {
        for person in people {
            try await store.keyring.ensureKey(for: person)
            _ = try await store.handle(
                .register(displayName: "Somebody"),
                of: UserDecider.self,
                on: person,
                context: CommandContext(commandID: person, actor: person, now: Date()),
                answer: { $0 }
            )
        }
    }

    func startGroup(
        _ id: UUID,
        owner: UUID,
        others: [UUID],
        name: String = "Friends"
    ) async throws
        -> Handled<Conversation>
    {
        try await handle(
            .startGroup(
                StartGroup(
                    owner: owner,
                    participants: others,
                    name: name,
                    icon: nil,
                    joinPolicy: .invite,
                    historyVisibility: .all,
                    maxMembers: 100
                )
            ),
            on: id,
            commandID: id,
            by: owner,
            content: name
        )
    }

    func send(
        _ text: String,
        to conversation: UUID,
        by sender: UUID,
        id: UUID = UUID()
    ) async throws
        -> Handled<Conversation>
    {
        try await handle(
            .send(
                SendMessage(
                    messageID: id,
                    sender: sender,
                    text: text,
                    replyTo: nil,
                    mentions: [],
                    clientTimestamp: nil
                )
            ),
            on: conversation,
            commandID: id,
            by: sender,
            content: text
        )
    }

    func handle(
        _ command: ConversationCommand,
        on id: UUID,
        commandID: UUID = UUID(),
        by actor: UUID,
        content: String? = nil
    ) async throws -> Handled<Conversation> {
        try await store.handle(
            command,
            of: ConversationDecider.self,
            on: id,
            context: CommandContext(
                commandID: commandID,
                actor: actor,
                now: Date(),
                content: content.map { Array($0.utf8) }
            ),
            answer: { $0 }
        )
    }

    func advance(_ person: UUID, to seq: Int64, in id: UUID) async throws -> Handled<Conversation> {
        try await handle(
            .advanceReceipts([ReceiptAdvance(person: person, deliveredSeq: nil, readSeq: seq)]),
            on: id,
            by: person
        )
    }

    func put(_ person: UUID, into id: UUID, by actor: UUID) async throws {
        _ = try await handle(
            .putParticipant(PutParticipant(actor: actor, person: person, role: nil, maxMembers: 100)),
            on: id,
            by: actor
        )
    }

    /// Waits until a state is stored that is folded as far: that is done beside the lane.
    func waitForSnapshot(of conversation: UUID, at version: Int64) async throws {
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT FROM parley.state_snapshots WHERE entity_id = \(conversation) AND versions[1] >= \(version)"
            )
            if !rows.isEmpty { return }
            await Task.pause()
        }
    }

    /// Every event of a partition, read from the log itself, which asserts that positions have no holes.
    func everything() async throws -> [RecordedEvent] {
        var all: [RecordedEvent] = []
        for partition in 0..<store.identity.partitions {
            all += try await store.log.events(partition: partition, after: 0, limit: 100_000)
        }
        return all
    }
}

struct WrongKeyLength: Error {}

extension Handled {
    /// When its first event was recorded, since 1970.
    var milliseconds: Int64? {
        events.first.map { Int64(($0.recordedAt.timeIntervalSince1970 * 1_000).rounded()) }
    }

    var sentSeq: Int64? {
        guard case .event(let event) = events.first?.body, case .messageSent(let sent) = event as? ConversationEvent
        else { return nil }
        return sent.seq
    }
}

extension RecordedEvent {
    var message: MessageSent? {
        guard case .event(let event) = body, case .messageSent(let sent) = event as? ConversationEvent else {
            return nil
        }
        return sent
    }
}
