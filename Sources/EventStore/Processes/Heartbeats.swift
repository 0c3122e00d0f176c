import Dispatch

/// The thread on which a process shows the others that it lives: what runs here is short, and waits for nothing but PostgreSQL.
///
/// On the threads that all tasks share, a heartbeat waits behind whatever computes there. Hundreds of large answers that are
/// written at once take those for longer than PostgreSQL keeps a session that is silent (decision 0065).
package final class Heartbeats: TaskExecutor {
    package static let thread = Heartbeats()

    private let queue = DispatchQueue(label: "heartbeats")

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Signals now and after each interval, until the stream has ended.
    ///
    /// Not by `Task.sleep`, which wakes on the threads that all share.
    package func tick(_ wake: AsyncStream<Void>.Continuation, every interval: Duration) {
        if case .terminated = wake.yield() { return }
        let seconds = interval / Duration.seconds(1)
        queue.asyncAfter(deadline: .now() + seconds) { self.tick(wake, every: interval) }
    }
}
