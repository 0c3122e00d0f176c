/// Where partitions end, as far as a lane knows by its own appends on one connection.
///
/// A head that is known is never beyond the log's: it is learned from answered commits, and forgotten with the connection,
/// since what comes after that may be another database. It may be behind, where another process has appended since: then
/// the place is taken, and the log refuses.
struct KnownHeads {
    /// Appends after a refusal that look the heads up, so that a time with many refusals costs little.
    private static let caution = 32

    private struct Head {
        var position: Int64
        let streak: Int
    }

    private var heads: [Int: Head] = [:]
    private var cautious = 0
    /// Never the same twice, whatever is forgotten.
    private var streaks = 0

    /// Places for events of these partitions, in order, right behind the heads; nil where one is not known.
    mutating func places(for events: [ProposedEvent]) -> [Int64]? {
        guard cautious == 0 else {
            cautious -= 1
            return nil
        }
        var next: [Int: Int64] = [:]
        var places: [Int64] = []
        places.reserveCapacity(events.count)
        for event in events {
            guard let head = next[event.partition] ?? heads[event.partition]?.position else { return nil }
            next[event.partition] = head + 1
            places.append(head + 1)
        }
        return places
    }

    /// Which unbroken row of the lane's own appends a partition is in; nil where its head is not known.
    ///
    /// What the lane has read of a partition is all that there is for as long as the streak lasts, and an append right
    /// behind the head shows that it does.
    func streak(of partition: Int) -> Int? {
        heads[partition]?.streak
    }

    /// Takes note of a committed event.
    mutating func learn(_ position: Int64, in partition: Int) {
        if heads[partition]?.position == position - 1 {
            heads[partition]?.position = position
        } else {
            streaks += 1
            heads[partition] = Head(position: position, streak: streaks)
        }
    }

    /// Takes note that a place was taken.
    mutating func distrust() {
        forget()
        cautious = Self.caution
    }

    mutating func forget() {
        heads = [:]
    }
}
