import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

/// Histories without a stored state that are too long for a lane to wait for.
@Suite(.database) struct ColdLoadTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let long = UUID()
    let short = UUID()

    @Test func `a long history is read beside the lane, whose other commands go on`() async throws {
        try await makeHistory(of: 9_000)
        try await TestStore.with(lanes: 1) { [self] store in
            #expect(try await store.send("warm", to: short, by: ada).sentSeq == 1)
            let pool = try await PoolHold.holdAll(of: TestDatabase.current.pool)
            async let late = store.send("after a while", to: long, by: ada).sentSeq
            // Nothing can be read through the pool, so the long history waits; the lane does not.
            for seq in 2...20 { #expect(try await store.send("at once", to: short, by: ada).sentSeq == Int64(seq)) }
            await pool.release()
            #expect(try await late == 9_001)
        }
    }

    @Test func `who waits too long for a history is told so, and finds it read the next time`() async throws {
        try await makeHistory(of: 3_000)
        // So long that on a busy machine, too, it ends while the history is read, and not in the lane's line.
        try await TestStore.with(lanes: 1, commandDeadline: .seconds(2)) { [self] store in
            // Whether it is in time or not, the sender's key is in memory from then on.
            _ = try? await store.send("warm", to: short, by: ada)
            let pool = try await PoolHold.holdAll(of: TestDatabase.current.pool)
            await #expect(throws: CommandError.loading) { try await store.send("in vain", to: long, by: ada) }
            await pool.release()
            try await store.waitForSnapshot(of: long, at: 3_001)
        }
        try await TestStore.with(lanes: 1) { [self] store in
            let seq = try await store.send("now", to: long, by: ada).sentSeq
            #expect(seq == 3_001)
        }
    }

    @Test func `marks and members of a long history are read in the order of the log`() async throws {
        try await TestStore.with(lanes: 1) { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(long, owner: ada, others: [grace, alan])
            for number in 1...1_200 {
                _ = try await store.send("message \(number)", to: long, by: ada)
                guard number.isMultiple(of: 100) else { continue }
                _ = try await store.handle(
                    .removeParticipant(RemoveParticipant(actor: ada, person: grace)),
                    on: long,
                    by: ada
                )
                try await store.put(grace, into: long, by: ada)
                _ = try await store.advance(grace, to: Int64(number) - 3, in: long)
                _ = try await store.advance(alan, to: Int64(number) - 1, in: long)
            }
        }
        let before = try await state()
        try await TestDatabase.current.administrator.execute("DELETE FROM parley.state_snapshots")
        #expect(try await state() == before)
    }

    /// The state that a fresh process answers with.
    private func state() async throws -> Conversation {
        let answers = Answers()
        try await TestStore.with(lanes: 1) { [self] store in
            await answers.add(try await store.advance(alan, to: 1, in: long).answer)
        }
        return try #require(await answers.all.first)
    }

    private actor Answers {
        private(set) var all: [Conversation] = []
        func add(_ answer: Conversation) { all.append(answer) }
    }

    /// Two groups, one with that many messages, and no stored states.
    private func makeHistory(of messages: Int) async throws {
        try await TestStore.with(lanes: 1) { [self] store in
            try await store.register(ada, grace)
            try await store.register(alan)
            for room in [long, short] { _ = try await store.startGroup(room, owner: ada, others: [grace, alan]) }
            let partition = store.store.identity.partition(of: long)
            try await TestDatabase.current.administrator.execute(
                """
                INSERT INTO parley.events (
                    position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, schema_version,
                    category, type, payload)
                SELECT h.head + n, 1 + n, now(), \(Int32(partition)), 0, \(long), gen_random_uuid(), \(ada), 1,
                    'conversation', 'messageSent', json_build_object('recipientCount', 2, 'seq', n)
                FROM (SELECT max(position) AS head FROM parley.events WHERE partition = \(Int32(partition))) h,
                    generate_series(1, \(Int64(messages))) n
                """
            )
        }
        try await TestDatabase.current.administrator.execute("DELETE FROM parley.state_snapshots")
    }
}

/// All connections of a pool, kept from everybody else.
private actor PoolHold {
    private var releases: [CheckedContinuation<Void, Never>] = []
    private var isReleased = false
    private var held = 0
    private var waiter: CheckedContinuation<Void, Never>?

    static func holdAll(of pool: PostgresPool) async throws -> PoolHold {
        let hold = PoolHold()
        // As many as a test's pool has.
        let count = 8
        for _ in 0..<count {
            Task { try await pool.withConnection { _ in await hold.keep() } }
        }
        await hold.waitUntilHeld(count)
        return hold
    }

    private func keep() async {
        held += 1
        waiter?.resume()
        waiter = nil
        guard !isReleased else { return }
        await withCheckedContinuation { releases.append($0) }
    }

    private func waitUntilHeld(_ count: Int) async {
        while held < count { await withCheckedContinuation { waiter = $0 } }
    }

    func release() {
        isReleased = true
        for release in releases { release.resume() }
        releases = []
    }
}
