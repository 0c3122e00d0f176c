package import EventStore
package import Logging
package import Postgres
import ServiceLifecycle

/// Keeps the read models up with the log.
///
/// Each partition has one worker, in the process that has its lease. Where two work on one, as for a moment when it passes from
/// hand to hand, whoever moves the checkpoint first has written the batch, and the other takes up its work behind it: nothing
/// depends on the leases but who works.
package struct Projector: Sendable {
    private let feed: Feed
    private let leases: ProjectionLeases?
    private let checkpoints: Checkpoints
    private let database: PostgresConfiguration
    private let workers: Int
    private let patience: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - leases: nil where this process projects everything, whatever others do.
    ///   - patience: how long a statement may take while other partitions wait for it; more, and the partition is tried by
    ///     itself.
    package init(
        feed: Feed,
        leases: ProjectionLeases? = nil,
        checkpoints: Checkpoints,
        database: PostgresConfiguration,
        workers: Int = 2,
        patience: Duration = .seconds(5),
        logger: Logger
    ) {
        self.feed = feed
        self.leases = leases
        self.checkpoints = checkpoints
        self.database = database.projecting
        self.workers = workers
        self.patience = patience
        self.logger = logger
    }

    /// Works until cancelled or shut down gracefully; a batch under way is finished.
    package func run() async {
        feed.epoch.onBegin { [weak checkpoints] in checkpoints?.begin($0) }
        checkpoints.begin(feed.epoch.present)
        await withTaskGroup(of: Void.self) { group in
            if let leases { group.addTask { await leases.run() } }
            await runWorkers()
            // What is held is given back when no batch is under way any more.
            group.cancelAll()
        }
    }

    private func runWorkers() async {
        let partitions = checkpoints.positions.count
        let workers = max(1, min(workers, partitions))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<workers {
                let worker = ProjectorWorker(
                    partitions: Array(stride(from: index, to: partitions, by: workers)),
                    leases: leases,
                    feed: feed,
                    checkpoints: checkpoints,
                    database: database,
                    patience: patience,
                    logger: logger
                )
                group.addTask { await worker.run() }
            }
        }
    }
}

extension PostgresConfiguration {
    /// The settings of connections that write read models.
    package var projecting: PostgresConfiguration {
        // Arrays are joined to tables by their keys.
        var configuration = planningOnce(bitmaps: false)
        configuration.settings.merge([
            // Rows and checkpoint are lost together and written again, so waiting for the disk gains nothing.
            "synchronous_commit": "off", "jit": "off",
            "statement_timeout": "60s", "lock_timeout": "30s",
        ]) { _, projecting in projecting }
        return configuration
    }
}
