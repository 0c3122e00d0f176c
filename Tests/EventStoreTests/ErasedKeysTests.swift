import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

/// What happens when somebody's key is destroyed, here and in other processes.
@Suite(.database) struct ErasedKeysTests {
    private func beginErasure(of person: UUID) async throws {
        try await TestDatabase.current.pool.execute("INSERT INTO parley.erasures (person_id) VALUES (\(person))")
    }

    private func erase(_ person: UUID, in store: EventStore) async throws {
        _ = try await store.handle(
            .erase,
            of: UserDecider.self,
            on: person,
            context: CommandContext(commandID: DerivedID.erasure(of: person), actor: nil, now: Date()),
            answer: { _ in }
        )
    }

    @Test func `another process drops a key when it hears of the erasure`() async throws {
        let (ada, grace, alan, group) = (UUID(), UUID(), UUID(), UUID())
        try await TestStore.with { first in
            try await TestStore.with { second in
                try await first.register(ada, grace, alan)
                _ = try await first.startGroup(group, owner: grace, others: [ada, alan])
                // The second process has Ada's key, and knows her.
                let secret = UUID()
                _ = try await second.send("a secret", to: group, by: ada, id: secret)
                #expect(try await second.store.existing([ada], category: .user) == [ada])

                try await beginErasure(of: ada)
                try await erase(ada, in: first.store)
                try await first.store.destroyKey(of: ada)
                try await first.store.keyring.ensureKey(for: ada)

                // The poll brings the erasure.
                let partition = second.store.identity.partition(of: ada)
                try await second.store.feed.poll()
                _ = try await second.store.feed.events(partition: partition, after: 0, limit: 1_000)
                await #expect(throws: CommandError.unknownActor) {
                    _ = try await second.send("a ghost", to: group, by: ada)
                }
                #expect(try await second.store.existing([ada], category: .user).isEmpty)
                for store in [first.store, second.store] {
                    let stream = StreamID(.conversation, group)
                    let record = try #require(try await store.log.event(of: secret, in: stream))
                    #expect(record.message?.text == nil)
                    #expect(record.message?.sender == ada)
                }
                // Others go on, and the group with them.
                #expect(try await second.send("hello", to: group, by: grace).sentSeq == 2)
            }
        }
    }

    @Test func `whoever is about to be erased is refused already, and nobody's lane stalls`() async throws {
        let (ada, grace, alan, group) = (UUID(), UUID(), UUID(), UUID())
        try await TestStore.with { store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(group, owner: grace, others: [ada, alan])
            try await beginErasure(of: ada)
            store.store.forget(ada)
            await #expect(throws: CommandError.unknownActor) {
                _ = try await store.send("too late", to: group, by: ada)
            }
            #expect(try await store.send("hello", to: group, by: grace).sentSeq == 1)
        }
    }
}
