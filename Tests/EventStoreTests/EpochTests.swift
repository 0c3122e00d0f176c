import EventSourcing
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@testable import EventStore

/// What a process remembers of the log ends with the log's epoch.
@Suite(.database, .timeLimit(.minutes(10))) struct EpochTests {
    private let ada = UUID()
    private let room = UUID()

    /// Takes the newest events of all partitions, and the keys, back: as a backup that was put back would.
    private func lose(_ count: Int64) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script(
                """
                BEGIN;
                ALTER TABLE parley.events DISABLE TRIGGER events_append_only;
                DELETE FROM parley.events e USING (
                    SELECT partition, max(position) AS head FROM parley.events GROUP BY partition
                ) h WHERE e.partition = h.partition AND e.position > h.head - \(count);
                ALTER TABLE parley.events ENABLE TRIGGER events_append_only;
                COMMIT
                """
            )
        }
    }

    @Test func `goes on while the log grows, whoever appends`() async throws {
        try await TestStore.with { one in
            try await TestStore.with { other in
                try await one.register(ada)
                try await other.store.feed.poll()
                try await other.register(UUID())
                try await one.store.feed.poll()
                #expect(one.store.epoch.generation == 0)
                #expect(other.store.epoch.present.id == one.store.identity.epoch)
            }
        }
    }

    @Test func `ends where the log is shorter than it was, for every process alike`() async throws {
        try await TestStore.with(partitions: 1) { one in
            try await TestStore.with(partitions: 1) { other in
                try await one.register(ada, UUID(), UUID())
                try await other.store.feed.poll()
                let before = one.store.identity.epoch
                try await lose(1)
                try await one.store.feed.poll()
                try await other.store.feed.poll()
                #expect(one.store.epoch.generation == 1)
                #expect(other.store.epoch.generation == 1)
                #expect(one.store.identity.epoch != before)
                #expect(one.store.identity.epoch == other.store.identity.epoch)
                #expect(try await LogIdentity.read(from: one.store.pool).epoch == one.store.identity.epoch)
                #expect(one.store.epoch.isEarlier(before))
                #expect(one.store.feed.heads == [2])
                try await other.store.feed.poll()
                #expect(other.store.epoch.generation == 1)
            }
        }
    }

    @Test func `takes the feed's events with it, and those that come late`() async throws {
        try await TestStore.with(partitions: 1) { store in
            let feed = store.store.feed
            try await store.register(ada, UUID())
            try await feed.poll()
            let events = try await feed.events(partition: 0, after: 0, limit: 10, in: 0)
            #expect(events.count == 2)
            try await lose(1)
            try await feed.poll()
            // A commit that the old primary acknowledged, handed over when nobody believes it any more.
            feed.publish(events, in: 0)
            #expect(feed.head(of: 0) == 1)
            #expect(try await feed.events(partition: 0, after: 0, limit: 10, in: 1).map(\.position) == [1])
            await #expect(throws: EpochEnded.self) {
                try await feed.events(partition: 0, after: 0, limit: 10, in: 0)
            }
        }
    }

    @Test func `wakes whoever follows the feed`() async throws {
        try await TestStore.with(partitions: 1) { store in
            try await store.register(ada)
            try await store.store.feed.poll()
            var changes = store.store.feed.changes().makeAsyncIterator()
            await changes.next()
            try await lose(1)
            try await store.store.feed.poll()
            await changes.next()
            #expect(store.store.feed.heads == [0])
        }
    }

    @Test func `takes keys and people that were known with it`() async throws {
        try await TestStore.with(partitions: 1) { store in
            try await store.register(ada)
            #expect(try await store.store.keyring.key(of: ada) != nil)
            #expect(try await store.store.existing([ada], category: .user) == [ada])
            try await TestDatabase.current.administrator.execute("DELETE FROM parley.person_keys")
            try await lose(1)
            try await store.store.feed.poll()
            #expect(try await store.store.keyring.key(of: ada) == nil)
            #expect(try await store.store.existing([ada], category: .user).isEmpty)
            await #expect(throws: CommandError.unknownActor) {
                try await store.send("Sealed by nothing", to: room, by: ada)
            }
        }
    }

    @Test func `ends for a lane on its next connection, and with it what the lane had in memory`() async throws {
        try await TestStore.with(partitions: 1) { store in
            let others = [UUID(), UUID()]
            try await store.register(ada, others[0], others[1])
            _ = try await store.startGroup(room, owner: ada, others: others)
            for text in ["One", "Two", "Three"] { _ = try await store.send(text, to: room, by: ada) }
            try await lose(2)
            try await store.store.feed.poll()
            let next = try await store.send("Four", to: room, by: ada)
            #expect(next.sentSeq == 2)
            #expect(next.token.epoch == store.store.identity.epoch)
            let events = try await store.everything()
            #expect(events.map(\.position) == [1, 2, 3, 4, 5, 6])
            #expect(events.compactMap(\.message).map(\.text) == ["One", "Four"])
        }
    }

    @Test func `is not given up for what was read meanwhile`() async throws {
        let memory = EpochMemory<[Int]>(nil) { [] }
        memory.withLock(of: memory.generation) { $0.append(1) }
        #expect(memory.withLock { $0 } == [1])
        try await TestStore.with(partitions: 1) { store in
            let memory = EpochMemory<[Int]>(store.store.epoch) { [] }
            let before = memory.generation
            memory.withLock(of: before) { $0.append(1) }
            try await store.register(ada)
            try await lose(1)
            try await store.store.feed.poll()
            memory.withLock(of: before) { $0.append(2) }
            #expect(memory.withLock { $0 }.isEmpty)
        }
    }
}
