import Foundation
import Synchronization

/// A few threads for work that computes for long, behind a bounded queue.
final class WorkerThreads: Sendable {
    private let queue: WorkQueue
    private let patience: Duration

    /// - Parameters:
    ///   - niceness: how far the threads stand back from all others, 0 to 19; only Linux knows it of threads.
    ///   - patience: what has waited longer is not done any more: most likely nobody waits for it, and those behind it do.
    init(count: Int, queueLimit: Int, niceness: Int = 0, patience: Duration = .seconds(10)) {
        self.patience = patience
        let queue = WorkQueue(threads: max(1, count), limit: max(0, queueLimit))
        self.queue = queue
        for index in 0..<queue.threads {
            let thread = Thread {
                Self.standBack(niceness)
                queue.work()
            }
            thread.name = "password-\(index)"
            thread.start()
        }
    }

    private static func standBack(_ niceness: Int) {
        #if os(Linux)
        // 0 is the calling thread here, and who may not stand back works on as before.
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        guard niceness > 0 else { return }
        _ = setpriority(process, 0, min(getpriority(process, 0) + Int32(clamping: niceness), 19))
        #endif
    }

    deinit {
        queue.stop()
    }

    /// Runs `work` on one of the threads. Cancelled while it waits, it never runs.
    ///
    /// - Throws: `IdentityError.overloaded` if too much waits already, or this has waited too long.
    func run<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        let abandoned = Flag()
        let latest = ContinuousClock.now + patience
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAccepted = queue.add {
                    // A caller that has gone must not cost the others a tenth of a second.
                    let result = Result {
                        guard !abandoned.isSet else { throw CancellationError() }
                        guard ContinuousClock.now < latest else { throw IdentityError.overloaded }
                        return try work()
                    }
                    return { continuation.resume(with: result) }
                }
                if !isAccepted { continuation.resume(throwing: IdentityError.overloaded) }
            }
        } onCancel: {
            abandoned.set()
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
