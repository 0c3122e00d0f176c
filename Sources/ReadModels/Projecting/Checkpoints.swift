import CoreMetrics
import Dispatch
package import EventStore
import Synchronization

/// How far the read models have come, in memory: one per process, moved by its projector, watched by those who wait.
package final class Checkpoints: Sendable {
    /// More waiters than this are told at once that they wait in vain.
    private static let maximumWaiters = 10_000
    /// How much longer than asked somebody may wait in vain.
    private static let sweepInterval = DispatchTimeInterval.milliseconds(50)

    private struct Waiter {
        /// What is still to be passed, by partition.
        var missing: [Int: Int64]
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// The log's epoch that the positions are of.
        var generation = 0
        var positions: [Int64]
        /// Partitions of which the table may say less than `positions`.
        var unknown: Set<Int> = []
        var faults: [Int: PartitionFault] = [:]
        var waiters: [Int: Waiter] = [:]
        /// Whether a sweep will come and end those who have waited too long.
        var isSweepDue = false
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        /// Told of what this process has projected.
        var handlers: [@Sendable (_ partition: Int, _ position: Int64) -> Void] = []
        /// Workers that let events gather.
        var resting: [Int: Task<Void, Never>] = [:]
        var nextID = 0

        mutating func newID() -> Int {
            nextID += 1
            return nextID
        }

        /// Forgets everything with an epoch that is over.
        ///
        /// - Returns: those who wait, in vain: what they wait for may never come.
        mutating func begin(_ generation: Int) -> [Waiter] {
            self.generation = generation
            positions = Array(repeating: 0, count: positions.count)
            unknown = Set(positions.indices)
            faults = [:]
            defer { waiters = [:] }
            return Array(waiters.values)
        }

        func missing(_ positions: [Int: Int64]) -> [Int: Int64] {
            positions.filter { partition, position in
                !self.positions.indices.contains(partition) || self.positions[partition] < position
                    || unknown.contains(partition)
            }
        }
    }

    private let state: Mutex<State>

    package init(partitions: Int) {
        state = Mutex(State(positions: Array(repeating: 0, count: partitions)))
    }

    /// The newest projected position of every partition, in order.
    package var positions: [Int64] {
        state.withLock { $0.positions }
    }

    package func position(of partition: Int) -> Int64 {
        state.withLock { $0.positions.indices.contains(partition) ? $0.positions[partition] : 0 }
    }

    /// The partitions that stand still in this process, and why, in order.
    package var faults: [PartitionFault] {
        state.withLock { $0.faults.values.sorted { $0.partition < $1.partition } }
    }

    /// Whether a partition stands still in this process.
    package func isStopped(_ partition: Int) -> Bool {
        state.withLock { $0.faults[partition] != nil }
    }

    /// A partition does not go on; that ends as soon as its position is past the fault's.
    func stop(_ fault: PartitionFault) {
        let faults = state.withLock { state in
            state.faults[fault.partition] = fault
            return state.faults
        }
        ProjectionMetrics.record(stopped: faults.values)
    }

    /// Waits until all these positions are projected; false if that does not happen in time, the log's epoch ends, or too
    /// many wait.
    package func wait(for positions: [Int: Int64], timeout: Duration) async throws -> Bool {
        if state.withLock({ $0.missing(positions).isEmpty }) { return true }
        let deadline = ContinuousClock.now + timeout
        let id = state.withLock { $0.newID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(id, Waiter(missing: positions, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
        try Task.checkCancellation()
        return state.withLock { $0.missing(positions).isEmpty }
    }

    /// The same for the positions of one epoch.
    ///
    /// - Throws: `EpochEnded` where that is over: the positions may stand for other events now, or for none.
    package func wait(for positions: [Int: Int64], timeout: Duration, in generation: Int) async throws -> Bool {
        guard isPresent(generation) else { throw EpochEnded() }
        let isPassed = try await wait(for: positions, timeout: timeout)
        guard isPresent(generation) else { throw EpochEnded() }
        return isPassed
    }

    private func isPresent(_ generation: Int) -> Bool {
        state.withLock { $0.generation == generation }
    }

    /// Lets time pass, until somebody waits for a position.
    func rest(_ duration: Duration) async {
        let sleep = Task {
            // Ends early only by cancellation, which is what somebody who waits does.
            _ = try? await Task.sleep(for: duration, tolerance: .zero)
        }
        let id = state.withLock { state -> Int in
            let id = state.newID()
            if state.waiters.isEmpty { state.resting[id] = sleep } else { sleep.cancel() }
            return id
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        state.withLock { state in state.resting[id] = nil }
    }

    /// How many wait at this moment.
    var waiting: Int { state.withLock { $0.waiters.count } }

    private func enter(_ id: Int, _ waiter: Waiter) {
        let (waits, needsSweep, resting) = state.withLock { state in
            let missing = state.missing(waiter.missing)
            // Read under the lock: a cancellation that comes later finds the waiter in its place.
            guard !missing.isEmpty, !Task.isCancelled, waiter.deadline > .now,
                state.waiters.count < Self.maximumWaiters
            else { return (false, false, [Task<Void, Never>]()) }
            state.waiters[id] = Waiter(
                missing: missing,
                deadline: waiter.deadline,
                continuation: waiter.continuation
            )
            defer { state.isSweepDue = true }
            return (true, !state.isSweepDue, Array(state.resting.values))
        }
        for rest in resting { rest.cancel() }
        if !waits { waiter.continuation.resume() }
        if needsSweep { sweepLater() }
    }

    /// One timer for all who wait, while anyone does: nearly all are through long before their time, and a task that
    /// slept beside each of them would cost more than the waiting.
    private func sweepLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.sweepInterval) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let (late, remain) = state.withLock { state in
            let now = ContinuousClock.now
            let late = state.waiters.filter { $0.value.deadline <= now }
            for id in late.keys { state.waiters[id] = nil }
            state.isSweepDue = !state.waiters.isEmpty
            return (late, state.isSweepDue)
        }
        for waiter in late.values { waiter.continuation.resume() }
        if remain { sweepLater() }
    }

    /// A signal at every change; signals that were not taken yet fall together.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            let id = state.newID()
            state.subscribers[id] = continuation
            return id
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        continuation.yield()
        return stream
    }

    /// Calls `handler` with how far this process has projected a partition. It must not block.
    package func onProjected(_ handler: @escaping @Sendable (_ partition: Int, _ position: Int64) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Begins anew with an epoch of the log: nothing is taken for projected until the table has been read in it.
    package func begin(_ epoch: Epoch) {
        let waiters = state.withLock { $0.generation < epoch.generation ? $0.begin(epoch.generation) : [] }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// After a lost connection: whoever waits for these partitions goes on waiting until the table has been read again.
    /// If the database crashed, the newest commits are lost, and must not be taken for visible.
    package func forget(_ partitions: [Int]) {
        state.withLock { $0.unknown.formUnion(partitions) }
    }

    /// Takes what the table says. It may be less than before: the newest commits of a projector do not survive a crash
    /// of the database, and are made again.
    ///
    /// - Parameter generation: the epoch of the connection over which the table was read or written. What comes of one
    ///   that is over is not taken.
    package func set(_ partition: Int, to position: Int64, in generation: Int = 0) {
        take(partition, position, in: generation, mayFall: true)
        for handler in state.withLock({ $0.handlers }) { handler(partition, position) }
    }

    /// Takes what the table says of a partition that another process projects, or has projected until a moment ago: less than
    /// what is known only after a lost connection.
    func follow(_ partition: Int, to position: Int64, in generation: Int) {
        take(partition, position, in: generation, mayFall: false)
    }

    private func take(_ partition: Int, _ position: Int64, in generation: Int, mayFall: Bool) {
        guard state.withLock({ generation >= $0.generation }) else { return }
        goesOn(partition, at: position)
        let (resumed, subscribers, waiting) = state.withLock { state in
            guard generation >= state.generation else {
                return ([Waiter](), [AsyncStream<Void>.Continuation](), nil as Int?)
            }
            let outdated = generation > state.generation ? state.begin(generation) : []
            let isNews = state.unknown.remove(partition) != nil
            guard state.positions.indices.contains(partition),
                isNews || state.positions[partition] < position || mayFall && state.positions[partition] != position
            else {
                return (outdated, [AsyncStream<Void>.Continuation](), nil as Int?)
            }
            state.positions[partition] = position
            var resumed = outdated
            for (id, waiter) in state.waiters {
                guard let target = waiter.missing[partition], target <= position else { continue }
                if waiter.missing.count == 1 {
                    state.waiters[id] = nil
                    resumed.append(waiter)
                } else {
                    state.waiters[id]?.missing[partition] = nil
                }
            }
            return (resumed, Array(state.subscribers.values), resumed.isEmpty ? nil : state.waiters.count)
        }
        for waiter in resumed { waiter.continuation.resume() }
        for subscriber in subscribers { subscriber.yield() }
        if let waiting { ProjectionMetrics.waiting.record(waiting) }
    }

    /// A partition goes on: at a position past its fault, or without having had to move.
    func goesOn(_ partition: Int, at position: Int64 = .max) {
        let faults: [Int: PartitionFault]? = state.withLock { state in
            guard let fault = state.faults[partition], fault.position <= position else { return nil }
            state.faults[partition] = nil
            return state.faults
        }
        if let faults { ProjectionMetrics.record(stopped: faults.values) }
    }
}
