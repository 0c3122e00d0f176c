import NIOCore

/// Runs tasks on the thread of an event loop.
///
/// A connection's requests run where its socket is read and written: between the loop and the threads of the concurrency
/// library each request would change threads at every step, and each change costs more than most steps.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
