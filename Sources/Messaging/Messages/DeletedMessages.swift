/// The newest deleted messages of a conversation, which nobody need read.
///
/// Bounded: what lies further back is counted in the log.
package struct DeletedMessages: Sendable, Equatable, Codable {
    private static let capacity = 512

    /// In order.
    private var seqs: [Int64] = []
    /// What is deleted up to here is not known.
    private var unknownUpTo: Int64 = 0

    package init() {}

    package var count: Int { seqs.count }

    mutating func add(_ seq: Int64) {
        let place = firstPlace(after: seq)
        if place > 0, seqs[place - 1] == seq { return }
        guard seq > unknownUpTo else { return }
        seqs.insert(seq, at: place)
        guard seqs.count > Self.capacity else { return }
        let dropped = seqs.count / 2
        unknownUpTo = seqs[dropped - 1]
        seqs.removeFirst(dropped)
    }

    /// How many messages after a mark are deleted, those of these runs left out; nil where that is not known.
    func count(after mark: Int64, without own: OwnMessages?) -> Int64? {
        guard mark >= unknownUpTo else { return nil }
        let after = seqs[firstPlace(after: mark)...]
        guard let own else { return Int64(after.count) }
        return Int64(after.count { !own.contains($0) })
    }

    private func firstPlace(after seq: Int64) -> Int {
        var (low, high) = (0, seqs.count)
        while low < high {
            let middle = (low + high) / 2
            if seqs[middle] <= seq { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
