import CoreMetrics
import DequeModule
import Dispatch
import Metrics
import Synchronization

/// The waiting work. The threads hold it rather than the pool, so that the pool's end is theirs.
final class WorkQueue: Sendable {
    let threads: Int
    private let limit: Int
    private let state = Mutex(State())
    /// One signal per piece of work, and one per thread to end it.
    private let signal = DispatchSemaphore(value: 0)

    /// Works, and gives what then tells whoever waits for it.
    typealias Work = @Sendable () -> @Sendable () -> Void

    private struct State {
        var waiting: Deque<Work> = []
        /// Waiting or running.
        var unfinished = 0
    }

    init(threads: Int, limit: Int) {
        self.threads = threads
        self.limit = limit
    }

    func add(_ work: @escaping Work) -> Bool {
        let isAccepted = state.withLock { state in
            guard state.unfinished < threads + limit else { return false }
            state.waiting.append(work)
            state.unfinished += 1
            IdentityMetrics.hashingQueue.record(state.unfinished)
            return true
        }
        if isAccepted { signal.signal() } else { IdentityMetrics.hashingRefused.increment() }
        return isAccepted
    }

    func work() {
        while true {
            signal.wait()
            // More signals than work: the pool has ended, and all that it accepted is done.
            guard let work = state.withLock({ $0.waiting.popFirst() }) else { return }
            let start = ContinuousClock.now
            let deliver = work()
            IdentityMetrics.hashing.record(duration: start.duration(to: .now))
            state.withLock { state in
                state.unfinished -= 1
                IdentityMetrics.hashingQueue.record(state.unfinished)
            }
            // Last, so that whoever has an answer finds the place free that it took.
            deliver()
        }
    }

    func stop() {
        for _ in 0..<threads { signal.signal() }
    }
}
