import Synchronization

/// The partitions that are still to be built.
final class PartitionQueue: Sendable {
    private let partitions: Mutex<[Int]>
    let count: Int

    init(_ partitions: [Int]) {
        count = partitions.count
        self.partitions = Mutex(partitions.reversed())
    }

    func next() -> Int? {
        partitions.withLock { $0.popLast() }
    }

    /// The partitions that have events after a position and up to a target, those with the most events first: a long one that
    /// began last would keep one worker busy while the others have nothing left to do.
    static func longestFirst(upTo targets: [Int64], from positions: [Int64]) -> [Int] {
        let events = zip(targets, positions).map { $0 - $1 }
        return events.indices.filter { events[$0] > 0 }
            .sorted { (events[$1], $0) < (events[$0], $1) }
    }
}
