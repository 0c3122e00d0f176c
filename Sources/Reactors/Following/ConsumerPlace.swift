import Logging

/// Where a consumer stands in one partition.
struct ConsumerPlace {
    static let page = 512

    let partition: Int
    /// What the table said when it was last read or written here.
    var stored: Int64
    /// The newest event that was looked at: those between the two concern nobody.
    var seen: Int64
    /// Events that are asked for at once: fewer after a failure, so that one event holds up no other for good.
    private(set) var limit = page
    private(set) var failures = 0
    /// Not before this: another process is at it, or it failed.
    var retryAt = ContinuousClock.now
    /// Whether the next event is of a newer program.
    var isBeforeUnknown = false

    init(partition: Int, position: Int64) {
        self.partition = partition
        stored = position
        seen = position
    }

    /// Whether it is tried by itself, until a whole page goes well again.
    var isAlone: Bool { limit < Self.page }

    /// The table says something else than was known.
    mutating func found(_ position: Int64) {
        // Moved on, by another process; or set back: then what was looked at counts for nothing.
        if position > seen || position < stored { seen = position }
        stored = position
    }

    mutating func failed() {
        failures += 1
        // Together with others it may have been one of theirs.
        let wasAlone = isAlone
        limit = 1
        guard wasAlone else { return }
        retryAt = .now + min(.seconds(60), .milliseconds(250) * (1 << min(failures, 8)))
    }

    mutating func succeeded() {
        failures = 0
        if isAlone { limit = min(limit * 2, Self.page) }
    }
}
