import EventSourcing
import Foundation
import Messaging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import EventStore

/// Commands that come for an aggregate while a round waits for its lock, and join it.
@Suite(.database, .timeLimit(.minutes(10))) struct JoiningTests {
    private let ada = UUID()
    private let grace = UUID()
    private let alan = UUID()
    private let room = UUID()

    private func begin(_ store: TestStore) async throws {
        try await store.register(ada, grace, alan)
        _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
    }

    @Test func `who joins a round is answered as the log has it`() async throws {
        let earlier = UUID()
        try await TestStore.with(lanes: 1, partitions: 1) { [self] store in
            try await begin(store)
            _ = try await store.send("earlier", to: room, by: alan, id: earlier)
            _ = try await store.handle(
                .removeParticipant(RemoveParticipant(actor: ada, person: alan)),
                on: room,
                by: ada
            )
            let lane = try await TestLane(beside: store, on: room, for: [ada, grace, alan])
            let sent = (0..<3).map { _ in UUID() }
            try await lane.run {
                try await holding(partitions) {
                    lane.send("first", by: ada, id: sent[0], isDoubtful: true)
                    _ = try await waitForBlocked(byTable: false)
                    lane.send("second", by: grace, id: sent[1])
                    lane.send("refused", by: alan)
                    lane.put("unchanged", .putParticipant(.keeping(grace, by: ada)), by: ada)
                    lane.send("earlier", by: alan, id: earlier)
                    lane.send("third", by: ada, id: sent[2])
                }
            }
            let answers = try lane.answers
            #expect(answers.count == 6)
            for text in ["first", "second", "third"] {
                let outcome = try #require(try answers[text]?.get())
                #expect(outcome.events.map { $0.message?.text } == [text])
                #expect(!outcome.isReplay)
            }
            #expect(throws: ConversationRejection.noLongerAMember) { try answers["refused"]?.get() }
            let unchanged = try #require(try answers["unchanged"]?.get())
            #expect(unchanged.events.isEmpty && unchanged.isReplay)
            let replayed = try #require(try answers["earlier"]?.get())
            #expect(replayed.events.first?.message?.text == "earlier" && replayed.isReplay)
            let texts = try await store.everything().compactMap(\.message?.text)
            #expect(texts == ["earlier", "first", "second", "third"])
            #expect(try await transactions(of: sent) == 1)
        }
    }

    @Test func `a command that the log has already holds up none that it joins with`() async throws {
        let (earlier, taken) = (UUID(), UUID())
        try await TestStore.with(lanes: 1, partitions: 1) { [self] store in
            try await begin(store)
            _ = try await store.send("earlier", to: room, by: ada, id: earlier)
            _ = try await store.send("taken", to: room, by: ada, id: taken)
            let lane = try await TestLane(beside: store, on: room, for: [ada, grace])
            try await lane.run {
                try await holding(partitions) {
                    lane.send("first", by: ada, isDoubtful: true)
                    _ = try await waitForBlocked(byTable: false)
                    lane.send("earlier", by: ada, id: earlier)
                    lane.send("other", by: ada, id: taken)
                    lane.send("second", by: grace)
                }
            }
            let answers = try lane.answers
            #expect(answers.count == 4)
            #expect(try answers["first"]?.get().isReplay == false)
            #expect(try answers["earlier"]?.get().isReplay == true)
            #expect(throws: CommandError.idConflict) { try answers["other"]?.get() }
            #expect(try answers["second"]?.get().isReplay == false)
            let texts = try await store.everything().compactMap(\.message?.text)
            #expect(texts == ["earlier", "taken", "first", "second"])
        }
    }

    @Test func `who has joined a round that is cut off is answered all the same, once`() async throws {
        try await TestStore.with(lanes: 1, partitions: 1) { [self] store in
            try await begin(store)
            let lane = try await TestLane(beside: store, on: room, for: [ada, grace])
            let joining = (1...5).map { "joining \($0)" }
            try await lane.run {
                try await holding("LOCK TABLE parley.events IN SHARE MODE") {
                    try await holding(partitions) {
                        lane.send("first", by: ada, isDoubtful: true)
                        _ = try await waitForBlocked(byTable: false)
                        for text in joining { lane.send(text, by: grace) }
                        lane.send("refused", by: UUID())
                    }
                    // All of them have joined the round when it appends.
                    let session = try await waitForBlocked(byTable: true)
                    try await TestDatabase.current.administrator.execute("SELECT pg_terminate_backend(\(session))")
                }
            }
            let answers = try lane.answers
            #expect(answers.count == 7)
            for text in ["first"] + joining {
                #expect(try answers[text]?.get().events.map { $0.message?.text } == [text])
            }
            #expect(throws: ConversationRejection.notFound) { try answers["refused"]?.get() }
            let texts = try await store.everything().compactMap(\.message?.text)
            #expect(texts == ["first"] + joining)
        }
    }

    @Test func `who waits in line for another aggregate gets a turn, however many keep joining`() async throws {
        let (elsewhere, stranger, last) = (UUID(), UUID(), 20)
        try await TestStore.with(lanes: 1, partitions: 1) { [self] store in
            try await begin(store)
            _ = try await store.startGroup(elsewhere, owner: ada, others: [grace, alan])
            let lane = try await TestLane(beside: store, on: room, for: [ada])
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            // Each round's answers bring somebody who could join the next one, and would leave a doubt for the one after.
            @Sendable func knock(_ number: Int) {
                lane.send("knock \(number)", by: stranger) {
                    if number < last { knock(number + 2) } else { end.finish() }
                }
            }
            try await lane.run {
                try await holding(partitions) {
                    lane.send("first", by: ada, isDoubtful: true) { knock(2) }
                    _ = try await waitForBlocked(byTable: false)
                    knock(1)
                    lane.send("elsewhere", by: ada, to: elsewhere)
                }
                for await _ in ended {}
            }
            #expect(throws: Never.self) { try lane.answers["elsewhere"]?.get() }
            let turn = try #require(lane.order.firstIndex(of: "elsewhere"))
            let lastTurn = try #require(lane.order.firstIndex(of: "knock \(last)"))
            #expect(turn < lastTurn)
        }
    }

    // MARK: Behind the lane's back

    private let partitions = "SELECT p.partition FROM parley.log_partitions p FOR UPDATE"

    /// Holds what a statement locks while `body` runs.
    private func holding(_ lock: String, _ body: () async throws -> Void) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script("BEGIN; \(lock)")
            try await body()
            try await connection.script("ROLLBACK")
        }
    }

    /// Waits for a session to wait for a table or for a row, and says which.
    private func waitForBlocked(byTable: Bool) async throws -> Int32 {
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                """
                SELECT a.pid FROM pg_stat_activity a
                WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.wait_event_type = 'Lock'
                    AND (a.wait_event = 'relation') = \(byTable)
                """
            )
            if let row = rows.first { return try row.decode("pid") }
            await Task.pause()
        }
    }

    /// In how many transactions commands were appended.
    private func transactions(of commands: [UUID]) async throws -> Int {
        let rows = try await TestDatabase.current.administrator.query(
            "SELECT count(DISTINCT e.xmin::text) AS n FROM parley.events e WHERE e.command_id = ANY (\(commands))"
        )
        return try #require(rows.first).decode("n")
    }
}

/// A lane beside those of a store, of which a test knows what stands in line: commands are there as soon as they are put.
private final class TestLane: Sendable {
    private typealias Answer = (name: String, result: Result<CommandOutcome, any Error>)

    private let store: EventStore
    private let lane: Lane
    private let conversation: UUID
    private let keys: [UUID: PersonKey]
    private let given = Mutex<[Answer]>([])

    init(beside store: TestStore, on conversation: UUID, for people: [UUID]) async throws {
        let store = store.store
        self.store = store
        self.conversation = conversation
        lane = Lane(
            queueCapacity: 1_000,
            log: store.log,
            feed: store.feed,
            snapshots: Snapshots(pool: store.pool, epoch: store.epoch, logger: SecretWatch.logger),
            formats: store.formats,
            configuration: EventStore.settings(
                ofLanesOn: PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
            ),
            logger: SecretWatch.logger
        )
        var keys: [UUID: PersonKey] = [:]
        for person in people { keys[person] = try await store.keyring.key(of: person) }
        self.keys = keys
    }

    /// Works while `body` runs, and on until all that was put is done.
    func run(_ body: () async throws -> Void) async throws {
        async let running: Void = lane.run()
        do {
            defer { lane.close() }
            try await body()
        }
        await running
    }

    /// What each command was answered, by its name; once, or this fails.
    var answers: [String: Result<CommandOutcome, any Error>] {
        get throws {
            let given = given.withLock { $0 }
            let answers = Dictionary(given.map { ($0.name, $0.result) }) { first, _ in first }
            try #require(answers.count == given.count, "a command was answered twice")
            return answers
        }
    }

    /// The names of the commands in the order in which they were answered.
    var order: [String] { given.withLock { $0.map(\.name) } }

    func send(
        _ text: String,
        by sender: UUID,
        to conversation: UUID? = nil,
        id: UUID = UUID(),
        isDoubtful: Bool = false,
        then next: @escaping @Sendable () -> Void = {}
    ) {
        let message = SendMessage(
            messageID: id,
            sender: sender,
            text: text,
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil
        )
        put(
            text,
            .send(message),
            by: sender,
            to: conversation,
            id: id,
            content: text,
            isDoubtful: isDoubtful,
            then: next
        )
    }

    /// Puts a command in line.
    ///
    /// - Parameters:
    ///   - isDoubtful: whether the log may have it already, so that the first round that decides it is a guarded one.
    ///   - next: is called with its answer, before the next round.
    func put(
        _ name: String,
        _ command: ConversationCommand,
        by actor: UUID,
        to conversation: UUID? = nil,
        id: UUID = UUID(),
        content: String? = nil,
        isDoubtful: Bool = false,
        then next: @escaping @Sendable () -> Void = {}
    ) {
        let conversation = conversation ?? self.conversation
        let doubt = CommandDoubt()
        if isDoubtful { doubt.raise() }
        let isInLine = lane.put(
            PendingCommand(
                CommandRequest<ConversationDecider>(command: command, observe: { _ in }),
                to: conversation,
                partition: store.log.identity.partition(of: conversation),
                context: CommandContext(
                    commandID: id,
                    actor: actor,
                    now: Date(),
                    content: content.map { Array($0.utf8) }
                ),
                key: keys[actor],
                generation: store.epoch.generation,
                deadline: .now + .seconds(300),
                doubt: doubt,
                resume: { [self] result in
                    given.withLock { $0.append((name, result)) }
                    next()
                }
            )
        )
        #expect(isInLine)
    }
}

extension PutParticipant {
    /// Puts somebody into a group who is there already, and changes nothing.
    fileprivate static func keeping(_ person: UUID, by actor: UUID) -> PutParticipant {
        PutParticipant(actor: actor, person: person, role: nil, maxMembers: 100)
    }
}
