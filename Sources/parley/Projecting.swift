import EventStore
import Logging
import Postgres
import ReadModels
import ServiceLifecycle

/// What fills the read models in this process, and what follows what others fill.
struct Projecting: Service {
    let checkpoints: Checkpoints
    /// Nil where this process leaves projecting to others.
    let leases: ProjectionLeases?
    let follower: CheckpointFollower
    private let projector: Projector?

    /// - Parameter isPart: whether this process projects what falls to it.
    init(
        _ settings: Configuration,
        of eventStore: EventStore,
        in database: PostgresConfiguration,
        isPart: Bool,
        logger: Logger
    ) {
        let partitions = eventStore.identity.partitions
        checkpoints = Checkpoints(partitions: partitions)
        leases = isPart ? ProjectionLeases(partitions: partitions, database: database, logger: logger) : nil
        follower = CheckpointFollower(
            checkpoints,
            leases: leases,
            epoch: eventStore.epoch,
            database: database,
            logger: logger
        )
        projector = leases.map { [checkpoints] leases in
            Projector(
                feed: eventStore.feed,
                leases: leases,
                checkpoints: checkpoints,
                database: database,
                workers: settings.projectors.value,
                logger: logger
            )
        }
    }

    /// Works until cancelled or shut down gracefully; a batch under way is finished.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await follower.run() }
            if let projector {
                await projector.run()
            } else {
                // Ends by cancellation, too.
                try? await gracefulShutdown()
            }
            group.cancelAll()
        }
    }
}
