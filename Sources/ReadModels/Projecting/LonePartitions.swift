import EventStore
import Synchronization

/// The partitions of a worker that are tried by themselves, and the signals that there is something to do for the worker.
final class LonePartitions: Sendable {
    /// How many of them are at work at once: each has a connection then.
    private static let width = 2

    /// What could not be done together with others.
    struct Trouble: Sendable {
        let partition: Int
        /// Up to where the partition is to come before it works with the others again.
        let end: Int64
        let error: any Error
    }

    let gate = Gate(width: width)
    private let worker: ProjectorWorker
    private let state = Mutex<Set<Int>>([])
    private let troubles: AsyncStream<Trouble>
    private let sending: AsyncStream<Trouble>.Continuation
    private let wakes: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    init(worker: ProjectorWorker) {
        self.worker = worker
        // A partition is here once at a time.
        let most = max(1, worker.partitions.count)
        (troubles, sending) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(most))
        (wakes, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var partitions: Set<Int> { state.withLock { $0 } }

    func take(_ trouble: Trouble) {
        guard state.withLock({ $0.insert(trouble.partition).inserted }) else { return }
        sending.yield(trouble)
    }

    /// Tries them until the worker has finished.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await trouble in troubles {
                group.addTask {
                    await LonePartition(worker: self.worker, gate: self.gate, trouble: trouble).run()
                    _ = self.state.withLock { $0.remove(trouble.partition) }
                    self.wake()
                }
            }
        }
    }

    func finish() {
        sending.finish()
    }

    func wake() {
        waking.yield()
    }

    /// Has the worker woken by every rise of a head.
    func wake(by feed: Feed) {
        feed.signalChanges(by: waking)
    }

    /// False once cancelled.
    func waitForWake() async -> Bool {
        for await _ in wakes { return true }
        return false
    }
}
