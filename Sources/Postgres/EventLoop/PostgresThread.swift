import Dispatch

/// The thread that does all input and output with PostgreSQL, for tasks that take a short step between their statements.
///
/// Such a task, run elsewhere, changes threads twice at each statement: to the socket and back. On a machine that is nearly
/// idle a change of threads costs more than the step.
package enum PostgresThread {
    /// For `withTaskExecutorPreference`. What a task does there holds up all other statements of the process meanwhile: it
    /// must be short, and never block. Nil where the process has no file descriptors left, and nothing can be read either.
    package static var executor: (any TaskExecutor)? {
        try? EventLoop.shared.get()
    }

    /// Runs something short there once `delay` has passed. A timer of Dispatch's wakes two threads more.
    package static func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        guard let loop = try? EventLoop.shared.get() else {
            let milliseconds = Int(clamping: delay.milliseconds)
            return DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
        }
        loop.schedule(after: delay, work)
    }
}

extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
