import EventSourcing
import EventStore
import Foundation
import Messaging
import Migrations
import Postgres
import ReadModels
import Synchronization
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct LogConsumerTests {
    private let ada = UUID()
    private let grace = UUID()
    private let rooms = (0..<6).map { _ in UUID() }

    private struct Killed: Error {}

    private func begin(_ log: TestLog) async throws {
        try await NotingReactor.createTable()
        try await log.register(ada, grace)
        for room in rooms { try await log.startGroup(room, ada, grace) }
    }

    private func talk(_ log: TestLog, messages: Int) async throws -> [UUID] {
        var sent: [UUID] = []
        for index in 0..<messages {
            sent.append(try await log.send("Message \(index)", to: rooms[index % rooms.count], by: ada))
        }
        return sent
    }

    /// Runs consumers while the body runs.
    private func running(_ consumers: LogConsumer..., body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { await consumer.run() } }
            try await body()
            group.cancelAll()
        }
    }

    private func consumer(
        _ reactor: NotingReactor,
        _ log: TestLog,
        from start: LogConsumer.Start = .heads,
        behind readModels: Checkpoints? = nil
    ) -> LogConsumer {
        LogConsumer(reactor, of: log.store, behind: readModels, from: start, logger: SecretWatch.logger)
    }

    @Test func `a consumer begins at the heads and takes every later event once`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            _ = try await talk(log, messages: 5)
            let reactor = NotingReactor()
            try await running(consumer(reactor, log)) {
                try await eventually("it has begun") { try await !reactor.positions().isEmpty }
                let later = try await talk(log, messages: 40)
                try await eventually("all are noted") { try await reactor.noted().count >= later.count }
                #expect(Set(try await reactor.noted()) == Set(later))
                #expect(try await reactor.noted().count == later.count)
            }
        }
    }

    @Test func `a consumer that begins at given positions repeats the past, each conversation in its order`()
        async throws
    {
        try await TestLog.with { log in
            try await begin(log)
            let sent = try await talk(log, messages: 60)
            let reactor = NotingReactor("replaying")
            try await running(consumer(reactor, log, from: .positions([0, 0, 0, 0]))) {
                try await eventually("all are noted") { try await reactor.noted().count >= sent.count }
            }
            let noted = try await reactor.noted()
            for room in rooms.indices {
                let expected = sent.enumerated().filter { $0.offset % rooms.count == room }.map(\.element)
                #expect(noted.filter(expected.contains) == expected)
            }
        }
    }

    @Test func `what a killed consumer has not committed is done again, and nothing twice`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let behaviour = NotingReactor.Behaviour()
            let reactor = NotingReactor("killed", behaviour)
            let sent = try await talk(log, messages: 30)
            // Ended in the middle of its transaction, again and again: with rows made, and the position not moved.
            for round in 0..<5 {
                let reached = AsyncStream.makeStream(of: Void.self)
                behaviour.before.withLock {
                    $0 = { _ in
                        reached.continuation.yield()
                        if round < 4 { try await untilCancelled() }
                    }
                }
                try await running(consumer(reactor, log, from: .positions([0, 0, 0, 0]))) {
                    for await _ in reached.stream { break }
                    if round < 4 { return }
                    try await eventually("all are noted") { try await reactor.noted().count >= sent.count }
                }
            }
            let noted = try await reactor.noted()
            #expect(noted.count == sent.count)
            #expect(Set(noted) == Set(sent))
        }
    }

    @Test func `a consumer whose connections are cut goes on, and takes every event once`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let reactor = NotingReactor()
            try await running(consumer(reactor, log, from: .positions([0, 0, 0, 0]))) {
                var sent: [UUID] = []
                for _ in 0..<5 {
                    sent += try await talk(log, messages: 10)
                    try await TestDatabase.current.administrator.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                            AND (query LIKE '%consumers%' OR query LIKE '%noted%')
                        """
                    )
                }
                let all = sent
                try await eventually("all are noted") {
                    let noted = try? await reactor.noted()
                    return (noted?.count ?? 0) >= all.count
                }
                #expect(try await reactor.noted().count == all.count)
            }
        }
    }

    @Test func `two processes share the work and take every event once`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            try await TestLog.with { other in
                let reactor = NotingReactor()
                let start = LogConsumer.Start.positions([0, 0, 0, 0])
                try await running(
                    consumer(reactor, log, from: start),
                    consumer(reactor, other, from: start)
                ) {
                    let sent = try await talk(log, messages: 200)
                    try await eventually("all are noted") { try await reactor.noted().count >= sent.count }
                    #expect(try await reactor.noted().count == sent.count)
                }
            }
        }
    }

    @Test func `a consumer waits in front of an event of a newer program, in its partition alone`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let reactor = NotingReactor()
            let stopped = log.store.identity.partition(of: rooms[0])
            let sent = try await talk(log, messages: 12)
            try await appendUnknown(to: rooms[0], in: log)
            try await log.store.feed.poll()
            try await running(consumer(reactor, log, from: .positions([0, 0, 0, 0]))) {
                try await eventually("all that came before are noted") {
                    try await reactor.noted().count >= sent.count
                }
                let heads = try await log.store.log.heads()
                try await eventually("it stands before the newer event, and nowhere else") {
                    let positions = try await reactor.positions()
                    return positions.indices.allSatisfy { positions[$0] == heads[$0] - ($0 == stopped ? 1 : 0) }
                }
            }
        }
    }

    @Test func `an event that a reactor cannot take is passed in the end, and holds up no other`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let behaviour = NotingReactor.Behaviour()
            let reactor = NotingReactor("poisoned", behaviour)
            let sent = try await talk(log, messages: 30)
            let poison = sent[7]
            behaviour.before.withLock {
                $0 = { events in
                    guard events.contains(where: { NotingReactor.message($0) == poison }) else { return }
                    _ = try await TestDatabase.current.pool.query("SELECT 1 / 0")
                }
            }
            try await running(consumer(reactor, log, from: .positions([0, 0, 0, 0]))) {
                try await eventually("all others are noted") { try await reactor.noted().count >= sent.count - 1 }
                #expect(Set(try await reactor.noted()) == Set(sent).subtracting([poison]))
            }
        }
    }

    @Test func `positions move without a transaction for each event that concerns nobody`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let behaviour = NotingReactor.Behaviour()
            let reactor = NotingReactor("idle", behaviour)
            let before = try await log.store.log.heads()
            try await running(consumer(reactor, log)) {
                try await eventually("it has begun") { try await !reactor.positions().isEmpty }
                for room in rooms {
                    try await log.handle(.leave(person: grace), on: room, by: grace)
                }
                let heads = try await log.store.log.heads()
                #expect(heads != before)
                try await eventually("it has passed them") { try await reactor.positions() == heads }
                #expect(behaviour.calls.load(ordering: .relaxed) == 0)
            }
        }
    }

    @Test func `a rebuild of the read models neither rewinds nor repeats what a consumer did`() async throws {
        try await TestLog.with(isProjecting: true) { log in
            try await begin(log)
            let reactor = NotingReactor()
            try await running(
                consumer(reactor, log, from: .positions([0, 0, 0, 0]), behind: log.checkpoints)
            ) {
                let sent = try await talk(log, messages: 30)
                try await eventually("all are noted") { try await reactor.noted().count >= sent.count }
                let positions = try await reactor.positions()
                let rebuild = Rebuild(
                    log: log.store.log,
                    database: PostgresConfiguration(url: TestDatabase.current.url),
                    migrations: Migrations.readModels,
                    logger: SecretWatch.logger
                )
                _ = try await rebuild.run()
                let more = try await talk(log, messages: 6)
                try await eventually("the later ones are noted") {
                    try await reactor.noted().count >= sent.count + more.count
                }
                #expect(try await reactor.noted().count == sent.count + more.count)
                let now = try await reactor.positions()
                #expect(zip(positions, now).allSatisfy { $0 <= $1 })
            }
        }
    }

    @Test func `a consumer goes no further than the read models that it reads`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let reactor = NotingReactor()
            let nothing = Checkpoints(partitions: TestLog.partitions)
            try await running(
                consumer(reactor, log, from: .positions([0, 0, 0, 0]), behind: nothing)
            ) {
                let sent = try await talk(log, messages: 6)
                let witness = NotingReactor("witness")
                try await running(consumer(witness, log, from: .positions([0, 0, 0, 0]))) {
                    try await eventually("another one has them") { try await witness.noted().count == sent.count }
                }
                #expect(try await reactor.noted().isEmpty)
                for (partition, head) in try await log.store.log.heads().enumerated() {
                    nothing.set(partition, to: head)
                }
                try await eventually("all are noted") { try await reactor.noted().count == sent.count }
            }
        }
    }

    @Test func `a consumer that is held up holds up no append and no other consumer`() async throws {
        try await TestLog.with { log in
            try await begin(log)
            let behaviour = NotingReactor.Behaviour()
            behaviour.before.withLock { $0 = { _ in try await untilCancelled() } }
            let held = NotingReactor("held", behaviour)
            let other = NotingReactor("other")
            let start = LogConsumer.Start.positions([0, 0, 0, 0])
            try await running(consumer(held, log, from: start), consumer(other, log, from: start)) {
                let sent = try await talk(log, messages: 30)
                try await eventually("the other has all") { try await other.noted().count == sent.count }
                #expect(try await held.noted().isEmpty)
            }
        }
    }

    private func appendUnknown(to room: UUID, in log: TestLog) async throws {
        let none: [UUID?] = [nil]
        let partition = Int32(log.store.identity.partition(of: room))
        _ = try await TestDatabase.current.pool.query(
            """
            SELECT at_position FROM parley.append(
                \([partition]), \([true]), \([room]), \(["conversation"]), \([true]), \([Int64?.none]),
                \(["messageTranslated"]), \([Int16(3)]), \([UUID()]), \([Int32(0)]), \(none), \([UUID?.some(ada)]),
                \(none), \(none), \([Date()]), \([JSONText(Array("{}".utf8))]), \([Bytes?.none]), \(none),
                \([Bytes?.none]))
            """
        )
    }
}
