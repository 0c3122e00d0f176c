package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Says where the live read models are not what this program makes, until a rebuild has made them anew.
///
/// Nothing depends on it: projecting and serving go on. The table is read now and then, as whoever rebuilds is another
/// process.
package final class VersionWatch: Service {
    private static let interval = Duration.seconds(5)

    private let pool: PostgresPool
    private let logger: Logger
    private let found = Mutex<[VersionMismatch]>([])

    package init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    /// As of the last check.
    package var mismatches: [VersionMismatch] {
        found.withLock { $0 }
    }

    /// Reads what the live read models are, and logs what has changed.
    package func check() async throws {
        let present = try await pool.withConnection { try await ProjectionVersions.mismatches(on: $0) }
        let before = found.withLock { found in
            defer { found = present }
            return found
        }
        ProjectionMetrics.record(toRebuild: Set(present.compactMap(\.projectionToRebuild)))
        for mismatch in present where !before.contains(mismatch) {
            logger.warning("the read models are not what this program makes", metadata: ["reason": "\(mismatch)"])
        }
        if present.isEmpty, !before.isEmpty { logger.notice("the read models are what this program makes") }
    }

    /// Checks until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // A database that is away is met by everyone who asks it; here the next turn tries again.
                try? await self.check()
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
