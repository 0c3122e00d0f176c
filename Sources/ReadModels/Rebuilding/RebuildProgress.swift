import Synchronization

/// How far a rebuild has come; exact, since positions have no holes.
package struct RebuildProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case events
        /// The indexes that only readers need, and statistics.
        case indexes
        case comparing
        /// Waiting for a moment in which nobody reads a snapshot.
        case switching
    }

    package var phase = Phase.events
    /// Events in the new read models.
    package var done: Int64 = 0
    /// Events that will be in them; rises while people go on talking.
    package var total: Int64 = 0
    package var elapsed: Duration = .zero

    package var eventsPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(done) / seconds : 0
    }

    /// Nil before anything is known about the speed.
    package var remaining: Duration? {
        let rate = eventsPerSecond
        return rate > 0 ? .seconds(Double(max(0, total - done)) / rate) : nil
    }
}

/// What a rebuild did.
package struct RebuildReport: Sendable {
    package let events: Int64
    package let elapsed: Duration
    /// For how long projecting, and reading of snapshots, stood still.
    package let pause: Duration
    /// The new tables against those that they replaced, at equal positions; nil where nobody asked for it.
    package let comparison: [TableComparison]?
}

/// Counts the events of all workers and tells of every change.
final class ProgressMeter: Sendable {
    private let start = ContinuousClock.now
    private let state = Mutex(RebuildProgress())
    private let report: @Sendable (RebuildProgress) -> Void

    init(report: @escaping @Sendable (RebuildProgress) -> Void) {
        self.report = report
    }

    var progress: RebuildProgress { state.withLock { $0 } }

    func begin(_ phase: RebuildProgress.Phase) {
        change { $0.phase = phase }
    }

    /// All that was done is done again.
    func restart() {
        change { $0.done = 0 }
    }

    func aim(at total: Int64) {
        change { $0.total = max($0.total, total) }
    }

    func add(_ events: Int64) {
        change { $0.done += events }
    }

    private func change(_ body: (inout RebuildProgress) -> Void) {
        let progress = state.withLock { progress in
            body(&progress)
            progress.elapsed = .now - start
            return progress
        }
        report(progress)
    }
}
