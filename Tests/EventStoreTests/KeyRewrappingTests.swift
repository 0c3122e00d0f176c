import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import EventStore

/// People's keys under one master key and another.
@Suite(.database) struct KeyRewrappingTests {
    private static let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))

    private func keyring(_ bytes: [UInt8], other: [UInt8]? = nil) throws -> Keyring {
        Keyring(pool: TestDatabase.current.pool, masterKey: try #require(MasterKey(bytes: bytes, other: other)))
    }

    private func rewrapping() throws -> KeyRewrapping {
        KeyRewrapping(
            pool: TestDatabase.current.administrator,
            masterKey: try #require(MasterKey(bytes: Self.new, other: Self.old))
        )
    }

    private func hash(_ keyring: Keyring, _ person: UUID) async throws -> [UInt8]? {
        try await keyring.key(of: person)?.hmac([1, 2, 3])
    }

    @Test func `every key opens before, meanwhile and after, and is the same`() async throws {
        let people = (0..<2_100).map { _ in UUID() }
        let before = try keyring(Self.old)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for person in people[(part * 525)..<(part * 525 + 525)] { try await before.ensureKey(for: person) }
                }
            }
            try await group.waitForAll()
        }
        let known = try await hash(before, people[0])
        #expect(try await hash(keyring(Self.new, other: Self.old), people[0]) == known)
        await #expect(throws: (any Error).self) { try await hash(keyring(Self.new), people[0]) }

        // Cut short behind the first thousand, it leaves the rest to the next run.
        let rewrapping = try rewrapping()
        let cut = Task {
            try await rewrapping.run { _, _ in
                withUnsafeCurrentTask { task in
                    guard let task else { return }
                    task.cancel()
                }
            }
        }
        await #expect(throws: CancellationError.self) { try await cut.value }
        for person in [people[0], people[2_099]] {
            #expect(try await hash(keyring(Self.new, other: Self.old), person) != nil)
        }
        #expect(try await rewrapping.run() == 1_100)
        #expect(try await rewrapping.run() == 0)
        #expect(try await hash(keyring(Self.new), people[0]) == known)
        #expect(try await hash(keyring(Self.old, other: Self.new), people[0]) == known)
        await #expect(throws: (any Error).self) { try await hash(keyring(Self.old), people[0]) }
    }

    @Test func `what was cut short goes on, and a key made under the old one meanwhile is found`() async throws {
        let before = try keyring(Self.old)
        let (ada, grace) = (UUID(), UUID())
        try await before.ensureKey(for: ada)
        #expect(try await rewrapping().run() == 1)
        try await before.ensureKey(for: grace)
        let reported = Mutex<[Int]>([])
        #expect(try await rewrapping().run { seen, _ in reported.withLock { $0.append(seen) } } == 1)
        #expect(reported.withLock { $0 } == [2])
        let after = try keyring(Self.new)
        for person in [ada, grace] { #expect(try await hash(after, person) != nil) }
    }

    @Test func `a key under neither stops it, and is left as it is`() async throws {
        let foreign = try keyring([UInt8](repeating: 9, count: 32))
        let ada = UUID()
        try await foreign.ensureKey(for: ada)
        await #expect(throws: (any Error).self) { try await rewrapping().run() }
        #expect(try await hash(keyring([UInt8](repeating: 9, count: 32)), ada) != nil)
    }
}
