import EventSourcing
import EventStore
import Foundation

/// What a rebuild's workers begin with, read while there are no tables for it yet.
struct FirstPages: Sendable {
    /// When no event was read yet, by the database's clock: texts of who is erased later may be among them.
    let begun: Date
    /// Pages in order, by partition.
    let events: [Int: [[RecordedEvent]]]

    /// As many as two processors read while one makes the tables; they are held until the rebuild ends.
    private static let pages = 3

    /// Reads the first pages of as many partitions as there are workers.
    static func read(_ log: LogReader, upTo targets: [Int64], workers: Int, begun: Date) async throws -> FirstPages {
        let events = try await withThrowingTaskGroup(of: (Int, [[RecordedEvent]]).self) { group in
            let none = [Int64](repeating: 0, count: targets.count)
            for partition in PartitionQueue.longestFirst(upTo: targets, from: none).prefix(max(1, workers)) {
                group.addTask { (partition, try await read(log, partition, upTo: targets[partition])) }
            }
            return try await group.reduce(into: [Int: [[RecordedEvent]]]()) { $0[$1.0] = $1.1 }
        }
        return FirstPages(begun: begun, events: events)
    }

    private static func read(_ log: LogReader, _ partition: Int, upTo target: Int64) async throws -> [[RecordedEvent]] {
        var pages: [[RecordedEvent]] = []
        var position: Int64 = 0
        while pages.count < Self.pages {
            let events = try await RebuildLoader.read(log, partition, after: position, upTo: target)
            guard let last = events.last else { break }
            pages.append(events)
            position = last.position
        }
        return pages
    }
}
