struct TimerID: Hashable, Sendable {
    let value: UInt64
}

/// Timers in no order: there are few, and only the nearest deadline is asked for often.
struct TimerTable {
    private struct Timer {
        let deadline: ContinuousClock.Instant
        let work: EventLoop.Work
    }

    private var timers: [TimerID: Timer] = [:]

    /// May be the deadline of a timer that was removed since: the loop then wakes once for nothing.
    private(set) var nextDeadline: ContinuousClock.Instant?

    mutating func insert(_ id: TimerID, deadline: ContinuousClock.Instant, _ work: @escaping EventLoop.Work) {
        timers[id] = Timer(deadline: deadline, work: work)
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    mutating func remove(_ id: TimerID) {
        timers[id] = nil
    }

    mutating func fire(at now: ContinuousClock.Instant) {
        guard let nextDeadline, nextDeadline <= now else { return }
        let due = timers.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
        for (id, _) in due { timers[id] = nil }
        self.nextDeadline = timers.values.map(\.deadline).min()
        for (_, timer) in due { timer.work() }
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000
    }
}
