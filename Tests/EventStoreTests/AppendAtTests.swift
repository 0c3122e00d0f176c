import EventSourcing
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// The short way into the log takes a lane's word for where things end, and the database checks it.
@Suite(.database) struct AppendAtTests {
    let room = UUID()

    /// Batches for few partitions are checked in another way than those for many.
    @Test(arguments: [1, 4, 6]) func `what follows the heads is appended`(partitions: Int) async throws {
        try await TestStore.with(partitions: partitions) { [self] store in
            try await append([1, 2], versions: [1, 2], in: partitions)
            try await append([3], versions: [3], in: partitions)
            let own = try await store.everything().filter { $0.partition == 0 }
            #expect(own.map(\.version) == [1, 2, 3])
            #expect(try await store.everything().count == 3 + (partitions - 1) * 2)
        }
    }

    @Test(arguments: [1, 4, 6]) func `a memory ahead of the log writes no hole`(partitions: Int) async throws {
        try await TestStore.with(partitions: partitions) { [self] store in
            try await append([1], versions: [1], in: partitions)
            for (positions, versions) in [
                ([3], [2]), ([2], [3]), ([2, 4], [2, 3]), ([2, 3], [2, 4]),
            ] as [([Int64], [Int64])] {
                let error = await #expect(throws: PostgresError.self, "\(positions) \(versions)") {
                    try await append(positions, versions: versions, in: partitions)
                }
                // By which a lane knows that it is to ask where the log ends.
                #expect(error?.sqlState.rawValue == "PY001", "\(positions) \(versions)")
            }
            for (positions, versions) in [([0], [2]), ([2], [0]), ([-5], [2])] as [([Int64], [Int64])] {
                await #expect(throws: PostgresError.self, "\(positions) \(versions)") {
                    try await append(positions, versions: versions, in: partitions)
                }
            }
            #expect(try await store.everything().map(\.position) == [Int64](repeating: 1, count: partitions))
        }
    }

    @Test(arguments: [1, 6]) func `a place that is taken is refused, whichever way it was filled`(
        partitions: Int
    ) async throws {
        try await TestStore.with(partitions: partitions) { [self] store in
            try await append([1], versions: [1], in: partitions)
            for (positions, versions) in [([1], [2]), ([2], [1])] as [([Int64], [Int64])] {
                let error = await #expect(throws: PostgresError.self, "\(positions) \(versions)") {
                    try await append(positions, versions: versions, in: partitions)
                }
                #expect(error?.sqlState == .uniqueViolation, "\(positions) \(versions)")
            }
            #expect(try await store.everything().map(\.position) == [Int64](repeating: 1, count: partitions))
        }
    }

    /// Appends events of one stream to partition 0, and in each of the others one that follows, of a stream of its own.
    private func append(_ positions: [Int64], versions: [Int64], in partitions: Int) async throws {
        let others = (0..<partitions).dropFirst().map { Int32(clamping: $0) }
        var next: [Int64] = []
        for other in others { next.append(try await nextPosition(in: other)) }
        let count = positions.count + others.count
        let none = [UUID?](repeating: nil, count: count)
        let payload = JSONText(Array(#"{"person":"\#(room.uuidString)","role":"admin"}"#.utf8))
        try await TestDatabase.current.pool.execute(
            """
            SELECT parley.append_at(
                \([Int32(0)] + others), \([Int32](repeating: 0, count: positions.count) + others), \(positions + next),
                \([UUID](repeating: room, count: positions.count) + others.map { _ in UUID() }),
                \([String](repeating: "conversation", count: count)),
                \(versions + [Int64](repeating: 1, count: others.count)),
                \([String](repeating: "roleChanged", count: count)),
                \([Int16](repeating: 1, count: count)), \((0..<count).map { _ in UUID() }),
                \([Int32](repeating: 0, count: count)), \(none), \(none), \(none), \(none),
                \([Date](repeating: Date(), count: count)), \([JSONText](repeating: payload, count: count)),
                \([Bytes?](repeating: nil, count: count)), \(none), \([Bytes?](repeating: nil, count: count)))
            """
        )
    }

    private func nextPosition(in partition: Int32) async throws -> Int64 {
        let rows = try await TestDatabase.current.pool.query(
            "SELECT coalesce(max(e.position), 0) + 1 AS next FROM parley.events e WHERE e.partition = \(partition)"
        )
        return try #require(rows.first).decode("next")
    }
}
