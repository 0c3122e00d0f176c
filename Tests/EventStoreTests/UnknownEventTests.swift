import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

/// A newer program has written to the log.
@Suite(.database) struct UnknownEventTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()
    let other = UUID()

    @Test func `commands on a history with an unknown event are refused with the reason, and others go on`()
        async throws
    {
        try await TestStore.with(lanes: 1) { [self] store in
            try await store.register(ada, grace, alan)
            for id in [room, other] { _ = try await store.startGroup(id, owner: ada, others: [grace, alan]) }
            #expect(try await store.send("before", to: room, by: ada).sentSeq == 1)
            try await appendUnknown(to: store)
            let unknown = CommandError.unknownEvent(UnknownEvent(type: "messageTranslated", schemaVersion: 3))
            // The room is in memory, and behind the log.
            await #expect(throws: unknown) { try await store.send("after", to: room, by: ada) }
            await #expect(throws: unknown) { try await store.advance(grace, to: 1, in: room) }
            #expect(try await store.send("elsewhere", to: other, by: ada).sentSeq == 1)
            try await TestStore.with(lanes: 1) { [self] fresh in
                await #expect(throws: unknown) { try await fresh.send("after", to: room, by: ada) }
                let seq = try await fresh.send("elsewhere", to: other, by: ada).sentSeq
                #expect(seq == 2)
            }
            let events = try await store.everything().filter { $0.stream.id == room }
            #expect(events.count == 3)
            #expect(events.last?.unknown == UnknownEvent(type: "messageTranslated", schemaVersion: 3))
        }
    }

    private func appendUnknown(to store: TestStore) async throws {
        let none: [UUID?] = [nil]
        let partition = Int32(store.store.identity.partition(of: room))
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
