/// Where partitions end, as far as a lane knows by its own appends on one connection.
///
/// A head that is known is never beyond the log's: it is learned from answered commits, and forgotten with the connection,
/// since what comes after that may be another database. It may be behind, where another process has appended since: then
/// the place is taken, and the log refuses.
struct KnownHeads {
    /// Appends after a refusal that look the heads up, so that a time with many refusals costs little.
    private static let caution = 32

    private var heads: [Int: Int64] = [:]
    private var cautious = 0

    /// Places for events of these partitions, in order, right behind the heads; nil where one is not known.
    mutating func places(for events: [ProposedEvent]) -> [Int64]? {
        guard cautious == 0 else {
            cautious -= 1
            return nil
        }
        var next = heads
        var places: [Int64] = []
        places.reserveCapacity(events.count)
        for event in events {
            guard let head = next[event.partition] else { return nil }
            next[event.partition] = head + 1
            places.append(head + 1)
        }
        return places
    }

    /// Takes note of a committed event.
    mutating func learn(_ position: Int64, in partition: Int) {
        heads[partition] = max(heads[partition] ?? 0, position)
    }

    /// Takes note that a place was taken.
    mutating func distrust() {
        heads = [:]
        cautious = Self.caution
    }
}
