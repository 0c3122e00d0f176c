import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

/// An older program and a newer one on one log, under traffic: an upgrade as it goes, and the way back.
@Suite(.database, .timeLimit(.minutes(10))) struct TwoProgramsTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()
    private let later = LaterEvent.kinds[0].format

    @Test func `what the older one cannot read waits until it has ended, and nothing else does`() async throws {
        try await TestStore.with(catalog: .later) { [self] newer in
            try await TestStore.with { [self] older in
                try await older.store.formats.beat()
                try await newer.store.formats.beat()
                try await older.register(ada, grace, alan)
                _ = try await older.startGroup(room, owner: ada, others: [grace, alan])
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        let store = number.isMultiple(of: 2) ? older : newer
                        group.addTask { _ = try await store.send("message \(number)", to: self.room, by: self.ada) }
                    }
                    for _ in 0..<5 {
                        group.addTask {
                            await #expect(throws: CommandError.formatNotOpen(self.later)) {
                                try await newer.pin(self.room, note: "too early", by: self.ada)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await older.everything().allSatisfy { $0.unknown == nil })
                await older.store.formats.leave()
            }
            _ = try await newer.pin(room, note: "first", by: ada)
            #expect(try await newer.send("behind it", to: room, by: grace).sentSeq == 101)
            let events = try await newer.everything().filter { $0.stream.id == room }
            #expect(events.map(\.version) == Array(1...103))
            #expect(Set(events.compactMap(\.message?.seq)) == Set(1...101))
            #expect(events.compactMap(\.later) == [LaterEvent(note: "first")])
        }
        try await expectOlderIsRefused()
        try await expectOlderReadsAllButOne()
    }

    /// The rollback that comes too late.
    private func expectOlderIsRefused() async throws {
        try await TestStore.with { [self] older in
            let refusal = NewerLog(format: later, readable: later - 1)
            await #expect(throws: refusal) { try await older.store.formats.beat() }
            await #expect(throws: refusal) {
                try await LogFormat.check(.messaging, in: TestDatabase.current.pool)
            }
        }
    }

    /// Nothing of it is taken for poison: it is unknown, and the rest is what it was.
    private func expectOlderReadsAllButOne() async throws {
        try await TestStore.with(catalog: .later.narrowed(to: later - 1)) { [self] older in
            let events = try await older.everything()
            let unknown = events.compactMap(\.unknown)
            #expect(unknown == [UnknownEvent(type: LaterEvent.kinds[0].type, schemaVersion: 1)])
            #expect(events.count { if case .undecodable = $0.body { true } else { false } } == 0)
            #expect(events.compactMap(\.message).count { $0.seq <= 101 } == 101)
            let place = try #require(events.first { $0.unknown != nil })
            #expect(place.stream == StreamID(.conversation, room))
        }
    }

    @Test func `a rollback before the first event of the new format is free`() async throws {
        try await TestStore.with { [self] older in
            try await older.store.formats.beat()
            try await older.register(ada, grace, alan)
            try await TestStore.with(catalog: .later) { [self] newer in
                try await newer.store.formats.beat()
                _ = try await newer.startGroup(room, owner: ada, others: [grace, alan])
                _ = try await newer.send("one", to: room, by: ada)
                await #expect(throws: CommandError.formatNotOpen(later)) {
                    try await newer.pin(room, note: "too early", by: ada)
                }
                await newer.store.formats.leave()
            }
            #expect(try await older.send("two", to: room, by: grace).sentSeq == 2)
            #expect(try await LogFormat.read(from: TestDatabase.current.pool) < later)
        }
        try await TestStore.with { [self] again in
            try await again.store.formats.beat()
            #expect(try await again.send("three", to: room, by: alan).sentSeq == 3)
            #expect(try await again.everything().compactMap(\.message?.text) == ["one", "two", "three"])
        }
    }
}

extension RecordedEvent {
    fileprivate var later: LaterEvent? {
        if case .event(let event) = body { event as? LaterEvent } else { nil }
    }
}
