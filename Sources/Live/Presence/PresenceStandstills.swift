/// The partitions that presence waits for: the read models do not show an event there that may have ended a right.
struct PresenceStandstills {
    /// Of one that stands still again and again it is said no more often.
    private static let interval: Duration = .seconds(60)

    private(set) var partitions: Set<Int> = []
    /// Those of them of which it has been said.
    private var said: Set<Int> = []
    private var saidAt: [Int: ContinuousClock.Instant] = [:]

    /// - Parameter missing: all events that were waited for in vain, by partition.
    /// - Returns: those of which it is to be said now.
    mutating func wait(for missing: [Int: Int64], at now: ContinuousClock.Instant) -> [Int: Int64] {
        partitions = Set(missing.keys)
        said.formIntersection(partitions)
        let due = missing.filter { partition, _ in
            !said.contains(partition) && saidAt[partition].map { now - $0 >= Self.interval } ?? true
        }
        for partition in due.keys {
            said.insert(partition)
            saidAt[partition] = now
        }
        return due
    }
}
