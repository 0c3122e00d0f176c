import Synchronization

/// The buckets of one policy in this process's memory.
///
/// Of a bucket only the moment is kept at which it will be full (GCRA): one that is full is forgotten without loss. At the
/// cap the quarter that is nearest to full goes, so a flood of new keys pushes out its own like, never a bucket that is
/// exhausted, as long as not three quarters of all are.
final class RateTable: Sendable {
    private let capacity: Int
    private let state = Mutex(State())

    private struct State {
        var fullAt: [RateSubject: ContinuousClock.Instant] = [:]
        /// How many buckets may be held before the full ones are looked for.
        var sweepAt = 1_024
    }

    init(capacity: Int = 65_536) {
        self.capacity = max(4, capacity)
    }

    var count: Int { state.withLock { $0.fullAt.count } }

    /// Takes one token, if there is one.
    func take(
        _ subject: RateSubject,
        limit: RateLimit,
        at now: ContinuousClock.Instant
    ) -> (
        debt: Duration, isRefused: Bool
    ) {
        state.withLock { state in
            let known = state.fullAt[subject]
            let debt = known.map { max(.zero, $0 - now) } ?? .zero
            guard debt + limit.interval <= limit.window else { return (debt, true) }
            if known == nil, state.fullAt.count >= min(state.sweepAt, capacity) { makeRoom(&state, at: now) }
            state.fullAt[subject] = now + debt + limit.interval
            return (debt + limit.interval, false)
        }
    }

    /// How long until the bucket is full; takes nothing.
    func debt(of subject: RateSubject, at now: ContinuousClock.Instant) -> Duration {
        state.withLock { $0.fullAt[subject].map { max(.zero, $0 - now) } ?? .zero }
    }

    private func makeRoom(_ state: inout State, at now: ContinuousClock.Instant) {
        state.fullAt = state.fullAt.filter { $0.value > now }
        if state.fullAt.count > capacity / 4 * 3 {
            for (subject, _) in state.fullAt.sorted(by: { $0.value < $1.value }).prefix(capacity / 4) {
                state.fullAt[subject] = nil
            }
        }
        state.sweepAt = max(1_024, state.fullAt.count * 2)
    }
}
