import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A few threads for work that computes for long, behind a bounded queue.
final class WorkerThreads: Sendable {
    private let queue: WorkQueue

    init(count: Int, queueLimit: Int) {
        let queue = WorkQueue(threads: max(1, count), limit: max(0, queueLimit))
        self.queue = queue
        for index in 0..<queue.threads {
            let thread = Thread { queue.work() }
            thread.name = "password-\(index)"
            thread.start()
        }
    }

    deinit {
        queue.stop()
    }

    /// Runs `work` on one of the threads. Cancelled while it waits, it never runs.
    ///
    /// - Throws: `IdentityError.overloaded` if too much waits already.
    func run<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let abandoned = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAccepted = queue.add {
                    // A caller that has gone must not cost the others a tenth of a second.
                    guard !abandoned.isSet else { return continuation.resume(throwing: CancellationError()) }
                    continuation.resume(with: Result { try work() })
                }
                if !isAccepted { continuation.resume(throwing: IdentityError.overloaded) }
            }
        } onCancel: {
            abandoned.set()
        }
    }
}

/// The waiting work. The threads hold it rather than the pool, so that the pool's end is theirs.
private final class WorkQueue: Sendable {
    let threads: Int
    private let limit: Int
    private let state = Mutex(State())
    /// One signal per piece of work, and one per thread to end it.
    private let signal = DispatchSemaphore(value: 0)

    private struct State {
        var waiting: Deque<@Sendable () -> Void> = []
        /// Waiting or running.
        var unfinished = 0
    }

    init(threads: Int, limit: Int) {
        self.threads = threads
        self.limit = limit
    }

    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            guard state.unfinished < threads + limit else { return false }
            state.waiting.append(work)
            state.unfinished += 1
            return true
        }
        if isAccepted { signal.signal() }
        return isAccepted
    }

    func work() {
        while true {
            signal.wait()
            // More signals than work: the pool has ended, and all that it accepted is done.
            guard let work = state.withLock({ $0.waiting.popFirst() }) else { return }
            work()
            state.withLock { $0.unfinished -= 1 }
        }
    }

    func stop() {
        for _ in 0..<threads { signal.signal() }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
