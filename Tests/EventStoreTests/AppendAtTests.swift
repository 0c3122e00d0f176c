import EventSourcing
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// The short way into the log takes a lane's word for where things end, and the database checks it.
@Suite(.database) struct AppendAtTests {
    let room = UUID()

    @Test func `what follows the heads is appended`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            try await append([1, 2], versions: [1, 2])
            try await append([3], versions: [3])
            #expect(try await store.everything().map(\.version) == [1, 2, 3])
        }
    }

    @Test func `a memory ahead of the log writes no hole`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            try await append([1], versions: [1])
            for (positions, versions) in [
                ([3], [2]), ([2], [3]), ([2, 4], [2, 3]), ([2, 3], [2, 4]), ([0], [2]), ([2], [0]), ([-5], [2]),
            ] as [([Int64], [Int64])] {
                await #expect(throws: PostgresError.self, "\(positions) \(versions)") {
                    try await append(positions, versions: versions)
                }
            }
            #expect(try await store.everything().map(\.position) == [1])
        }
    }

    @Test func `a place that is taken is refused, whichever way it was filled`() async throws {
        try await TestStore.with(partitions: 1) { [self] store in
            try await append([1], versions: [1])
            await #expect(throws: PostgresError.self) { try await append([1], versions: [2]) }
            await #expect(throws: PostgresError.self) { try await append([2], versions: [1]) }
            #expect(try await store.everything().map(\.position) == [1])
        }
    }

    private func append(_ positions: [Int64], versions: [Int64]) async throws {
        let count = positions.count
        let none = [UUID?](repeating: nil, count: count)
        let payload = JSONText(Array(#"{"person":"\#(room.uuidString)","role":"admin"}"#.utf8))
        try await TestDatabase.current.pool.execute(
            """
            SELECT parley.append_at(
                \([Int32(0)]), \([Int32](repeating: 0, count: count)), \(positions),
                \([UUID](repeating: room, count: count)), \([String](repeating: "conversation", count: count)),
                \(versions), \([String](repeating: "roleChanged", count: count)),
                \([Int16](repeating: 1, count: count)), \((0..<count).map { _ in UUID() }),
                \([Int32](repeating: 0, count: count)), \(none), \(none), \(none), \(none),
                \([Date](repeating: Date(), count: count)), \([JSONText](repeating: payload, count: count)),
                \([Bytes?](repeating: nil, count: count)), \(none), \([Bytes?](repeating: nil, count: count)))
            """
        )
    }
}
