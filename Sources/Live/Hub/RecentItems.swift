import DequeModule
import Foundation

/// What the hub passed on last, in that order: it bridges the time between a stream's snapshot and its joining the hub.
struct RecentItems {
    private var items: Deque<HubItem> = []
    private var bytes = 0
    /// Per partition, the position past which every item is here.
    private var reach: PositionVector
    private let maxItems: Int
    private let maxBytes: Int

    init(startingAt start: PositionVector, maxItems: Int, maxBytes: Int) {
        reach = start
        self.maxItems = maxItems
        self.maxBytes = maxBytes
    }

    mutating func append(_ item: HubItem) {
        items.append(item)
        bytes += Self.size(of: item)
        while items.count > maxItems || bytes > maxBytes, let oldest = items.popFirst() {
            bytes -= Self.size(of: oldest)
            reach.advance(oldest.partition, to: oldest.position)
        }
    }

    /// Drops what shows a person's texts.
    mutating func forget(_ person: UUID) {
        for place in items.indices where items[place].quoted.contains(person) {
            bytes -= Self.size(of: items[place])
            items[place].blocks.forget()
            bytes += Self.size(of: items[place])
        }
    }

    /// The items that a reader at `vector` has not seen, in the order in which they were passed on; nil where some of them
    /// are gone already.
    func items(after vector: PositionVector) -> [HubItem]? {
        guard vector.covers(reach) else { return nil }
        return items.filter { $0.position > vector[$0.partition] }
    }

    /// Whether there is such an item of a partition past a position, or may have been one that is gone already.
    func mayHold(in partition: Int, after position: Int64, where isMatch: (HubItem) -> Bool) -> Bool {
        guard position >= reach[partition] else { return true }
        for item in items.reversed() where item.partition == partition {
            guard item.position > position else { return false }
            if isMatch(item) { return true }
        }
        return false
    }

    private static func size(of item: HubItem) -> Int {
        item.blocks.size + 128
    }
}
