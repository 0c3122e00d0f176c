import Postgres

/// Where partitions end, as far as a lane knows by its own appends on one connection.
///
/// A head that is known is never beyond the log's: it is learned from answered commits, and forgotten with the connection,
/// since what comes after that may be another database. It may be behind, where another process has appended since: then
/// the place is taken, and the log refuses.
struct KnownHeads {
    /// Appends after a refusal that look the heads up, so that a time with many refusals costs little.
    private static let caution = 32

    private var heads: [Int: Int64] = [:]
    private var session: Int32?
    private var cautious = 0

    /// Places for events of these partitions, in order, right behind the heads; nil where one is not known.
    mutating func places(for partitions: [Int], on connection: PostgresConnection) -> [Int64]? {
        if session != connection.backendPID { forget() }
        session = connection.backendPID
        guard cautious == 0 else {
            cautious -= 1
            return nil
        }
        var next = heads
        var places: [Int64] = []
        places.reserveCapacity(partitions.count)
        for partition in partitions {
            guard let head = next[partition] else { return nil }
            next[partition] = head + 1
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

    mutating func forget() {
        heads = [:]
    }
}
