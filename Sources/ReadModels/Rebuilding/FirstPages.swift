import EventSourcing
import EventStore
import Foundation

/// What a rebuild's workers begin with, read while there are no tables for it yet.
struct FirstPages: Sendable {
    /// When no event was read yet, by the database's clock: texts of who is erased later may be among them.
    let begun: Date
    /// By partition.
    let events: [Int: [RecordedEvent]]

    /// Reads one page of as many partitions as there are workers: it is held until the rebuild ends.
    static func read(_ log: LogReader, upTo targets: [Int64], workers: Int, begun: Date) async throws -> FirstPages {
        let events = try await withThrowingTaskGroup(of: (Int, [RecordedEvent]).self) { group in
            for (partition, target) in targets.enumerated().filter({ $0.element > 0 }).prefix(max(1, workers)) {
                group.addTask {
                    (partition, try await RebuildLoader.read(log, partition, after: 0, upTo: target))
                }
            }
            return try await group.reduce(into: [Int: [RecordedEvent]]()) { $0[$1.0] = $1.1 }
        }
        return FirstPages(begun: begun, events: events)
    }
}
