import Logging
import Metrics
import Postgres

/// Takes what deleted messages said out of the log, soon after they were deleted: `messageDeleted` leaves the message's texts
/// sealed in the events before it.
///
/// How far it has come is remembered beside the log (`parley.consumers`), in the transaction that blanks the texts. Where
/// several processes are at it, each partition is one's at a time.
final class Shredder: Sendable {
    /// Nobody waits for it: deletions that come close together go together.
    private static let pause = Duration.seconds(1)
    /// Events that are looked at in one transaction.
    private static let step: Int32 = 10_000

    private let pool: PostgresPool
    private let feed: Feed
    private let logger: Logger

    init(pool: PostgresPool, feed: Feed, logger: Logger) {
        self.pool = pool
        self.feed = feed
        self.logger = logger
    }

    /// Follows the log until cancelled. What fails is tried again; nobody else is held up by it.
    func run() async {
        var reached = feed.heads.map { _ in Int64(-1) }
        var isFailing = false
        for await _ in feed.changes() {
            var isDone = false
            while !isDone, !Task.isCancelled {
                do {
                    isDone = try await shred(&reached)
                    isFailing = false
                } catch {
                    // Once per outage: the database's own troubles are logged where they arise.
                    if !isFailing, !Task.isCancelled {
                        logger.warning("what was deleted stays in the log for now", metadata: ["error": "\(error)"])
                    }
                    isFailing = true
                }
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// - Returns: whether all partitions have been looked through up to the heads that were known before.
    private func shred(_ reached: inout [Int64]) async throws -> Bool {
        var isDone = true
        for (partition, head) in feed.heads.enumerated() where reached.indices.contains(partition) {
            // In a new epoch the log may have become shorter; what is kept beside it has gone with it.
            if head < reached[partition] { reached[partition] = head }
            while reached[partition] < head {
                let rows = try await pool.query(
                    "SELECT reached, shredded FROM parley.shred(\(Int32(clamping: partition)), \(Self.step))"
                )
                guard let row = rows.first else {
                    // Another process is at it; should that one die, it is seen at the next turn.
                    isDone = false
                    break
                }
                let position: Int64 = try row.decode("reached")
                EventStoreMetrics.shreddedEvents.increment(by: try row.decode("shredded", as: Int.self))
                guard position > reached[partition] else { break }
                reached[partition] = position
            }
        }
        return isDone
    }
}
