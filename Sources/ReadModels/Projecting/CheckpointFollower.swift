package import EventStore
package import Logging
package import Postgres
import ServiceLifecycle

/// Follows what other processes project: reads their checkpoints four times a second, and as soon as one of them says that
/// it has come further. While this process projects all there is it rests.
package struct CheckpointFollower: Sendable {
    private static let interval = Duration.milliseconds(250)

    private let checkpoints: Checkpoints
    /// Nil where this process projects nothing.
    private let leases: ProjectionLeases?
    private let epoch: LogEpoch
    private let database: PostgresConfiguration
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(
        _ checkpoints: Checkpoints,
        leases: ProjectionLeases?,
        epoch: LogEpoch,
        database: PostgresConfiguration,
        logger: Logger
    ) {
        self.checkpoints = checkpoints
        self.leases = leases
        self.epoch = epoch
        self.database = database.projecting
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Another process says how far it has come.
    package func hint(_ positions: [Int: Int64]) {
        let known = checkpoints.positions
        let isNews = positions.contains { known.indices.contains($0.key) && known[$0.key] < $0.value }
        if isNews { wake.yield() }
    }

    private var others: [Int] {
        guard let held = leases?.held else { return Array(checkpoints.positions.indices) }
        return checkpoints.positions.indices.filter { !held.contains($0) }
    }

    /// Follows until cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await tick() }
            var session: ProjectorSession?
            for await _ in wakes {
                let others = others
                do {
                    if others.isEmpty {
                        await session?.connection.close()
                        session = nil
                    } else {
                        let open: ProjectorSession
                        if let session { open = session } else { open = try await connect() }
                        session = open
                        try await read(others, in: open)
                    }
                } catch {
                    // What is in memory may be ahead of the table, after a crash of the database.
                    checkpoints.forget(self.others)
                    await session?.connection.close()
                    session = nil
                    logger.debug("following other processes failed", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: Self.interval)
                }
            }
            await session?.connection.close()
            group.cancelAll()
        }
    }

    private func tick() async {
        // Before the first look at who projects what.
        let changes = leases?.changes()
        await tickWhileOthersProject()
        guard let changes else { return }
        for await _ in changes { await tickWhileOthersProject() }
    }

    private func tickWhileOthersProject() async {
        while !Task.isCancelled, !others.isEmpty {
            wake.yield()
            // Ends early only by cancellation, which the loop looks at.
            try? await Task.sleep(for: Self.interval)
        }
        // Once more, to let go of the connection.
        wake.yield()
    }

    private func connect() async throws -> ProjectorSession {
        try await ProjectorSession.open(database, timeout: .seconds(5), epoch: epoch, logger: logger)
    }

    private func read(_ partitions: [Int], in session: ProjectorSession) async throws {
        guard epoch.generation == session.generation else { throw EpochEnded() }
        let positions = try await Checkpoint.read(
            partitions: checkpoints.positions.count,
            in: .live,
            on: session.connection
        )
        for partition in partitions where positions.indices.contains(partition) {
            checkpoints.follow(partition, to: positions[partition], in: session.generation)
        }
    }
}
