/// Where a batch takes a mark, from wherever it stood: forward by reading, back by marking unread.
///
/// However often that happens, the mark ends between two places: `max(lowest, min(highest, before))`.
struct MarkChange {
    private(set) var lowest: Int64 = 0
    private(set) var highest = Int64.max
    /// Where the membership began, if that was in the batch.
    private let start: Int64

    init() {
        start = 0
    }

    /// A mark that begins in the batch.
    init(startingAt start: Int64) {
        self.start = start
        lowest = start
        highest = start
    }

    var goesBack: Bool { highest < .max }

    mutating func advance(to seq: Int64) {
        lowest = max(lowest, seq)
        highest = max(highest, seq)
    }

    mutating func goBack(to seq: Int64) {
        lowest = max(start, min(lowest, seq))
        highest = max(start, min(highest, seq))
    }
}
