import EventSourcing
import Logging
import Metrics
import Postgres
import Synchronization

/// Takes what deleted messages said out of the log, soon after they were deleted: `messageDeleted` leaves the message's texts
/// sealed in the events before it.
///
/// How far it has come is remembered beside the log (`parley.consumers`), in the transaction that blanks the texts. Where
/// several processes are at it, each partition is one's at a time. A partition in which it fails is tried again ever more
/// rarely, and holds up no other.
final class Shredder: Sendable {
    /// Nobody waits for it: deletions that come close together go together.
    private static let pause = Duration.seconds(1)
    /// How often all partitions are gone through, whatever was seen to pass by: so there is never much to catch up with.
    private static let round = Duration.seconds(600)
    /// Events that are looked at in one transaction.
    private static let step: Int32 = 10_000

    private let pool: PostgresPool
    private let partitions: Int
    private let logger: Logger
    /// Partitions in which something may have been deleted.
    private let due: Mutex<Set<Int>>
    private let signal: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(pool: PostgresPool, feed: Feed, partitions: Int, logger: Logger) {
        self.pool = pool
        self.partitions = partitions
        self.logger = logger
        due = Mutex([])
        (signal, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        feed.onEvents { [weak self] events in
            for event in events where event.retractsContent { self?.markDue([event.partition]) }
        }
    }

    private func markDue(_ partitions: Set<Int>) {
        due.withLock { $0.formUnion(partitions) }
        wake.yield()
    }

    /// Follows the log until cancelled. What fails is tried again; nobody is held up by it.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followDue() }
            group.addTask {
                while !Task.isCancelled {
                    self.markDue(Set(0..<self.partitions))
                    try? await Task.sleep(for: Self.round)
                }
            }
        }
    }

    /// What is known of a partition in which it failed.
    private struct Trouble {
        private(set) var failures = 0
        private(set) var retryAt = ContinuousClock.now

        mutating func failed() {
            failures += 1
            retryAt = .now + min(.seconds(60), Shredder.pause * (1 << min(failures, 6)))
        }
    }

    private func followDue() async {
        var troubles: [Int: Trouble] = [:]
        var isAway = false
        for await _ in signal {
            do {
                try await shredDue(&troubles)
                isAway = false
            } catch {
                // Once per outage: the database's own troubles are logged where they arise.
                if !isAway, !Task.isCancelled {
                    logger.warning("what was deleted stays in the log for now", metadata: ["error": "\(error)"])
                }
                isAway = true
            }
            // Ends early only by cancellation, which ends the signals, too.
            try? await Task.sleep(for: Self.pause)
            if due.withLock({ !$0.isEmpty }) { wake.yield() }
        }
    }

    /// - Throws: what no partition is to blame for.
    private func shredDue(_ troubles: inout [Int: Trouble]) async throws {
        let now = ContinuousClock.now
        for partition in due.withLock({ $0.sorted() }) {
            if let trouble = troubles[partition], trouble.retryAt > now { continue }
            // Before it is looked at: what passes by meanwhile makes it due again.
            due.withLock { _ = $0.remove(partition) }
            do {
                let isDone = try await shred(partition)
                if !isDone { due.withLock { _ = $0.insert(partition) } }
                troubles[partition] = nil
            } catch {
                due.withLock { _ = $0.insert(partition) }
                if error is PostgresConnectionError || error is CancellationError { throw error }
                troubles[partition, default: Trouble()].failed()
                note(error, partition, troubles[partition]?.failures ?? 1)
            }
        }
    }

    private func note(_ error: any Error, _ partition: Int, _ failures: Int) {
        // Once, and then ever more rarely.
        guard failures & (failures - 1) == 0 else { return }
        logger.warning(
            "what was deleted stays in a partition of the log for now",
            metadata: ["partition": "\(partition)", "error": "\(error)", "failures": "\(failures)"]
        )
    }

    /// - Returns: false where another process is at it: should that one die in the middle, it is seen at the next turn.
    private func shred(_ partition: Int) async throws -> Bool {
        var reached: Int64?
        while true {
            let rows = try await pool.query(
                "SELECT reached, shredded FROM parley.shred(\(Int32(clamping: partition)), \(Self.step))"
            )
            guard let row = rows.first else { return false }
            EventStoreMetrics.shreddedEvents.increment(by: try row.decode("shredded", as: Int.self))
            let position: Int64 = try row.decode("reached")
            guard position != reached else { return true }
            reached = position
        }
    }
}
