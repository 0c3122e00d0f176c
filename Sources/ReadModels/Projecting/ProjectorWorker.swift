import CoreMetrics
import EventSourcing
import EventStore
import Logging
import Postgres
import ServiceLifecycle

/// Projects some of the partitions, on a connection of its own.
struct ProjectorWorker: Sendable {
    /// About the most events of one transaction.
    private static let batchEvents = 512
    /// The least that a partition may bring, however many there are.
    private static let leastEvents = 32
    private static let longestRest = Duration.milliseconds(20)

    let partitions: [Int]
    let feed: Feed
    let checkpoints: Checkpoints
    let database: PostgresConfiguration
    let logger: Logger

    func run() async {
        var failures = 0
        while !isStopping {
            do {
                let connection = try await PostgresConnection.connect(database, logger: logger)
                do {
                    try await work(on: connection) { failures = 0 }
                    await connection.close()
                } catch {
                    checkpoints.forget(partitions)
                    await connection.close()
                    throw error
                }
            } catch {
                guard !isStopping else { return }
                failures += 1
                ProjectionMetrics.failures.increment()
                logger.warning("projecting failed", metadata: ["error": "\(error)", "failures": "\(failures)"])
                await pause(failures)
            }
        }
    }

    private var isStopping: Bool {
        Task.isCancelled || Task.isShuttingDownGracefully
    }

    private func work(on connection: PostgresConnection, succeeded: () -> Void) async throws {
        let generation = try await feed.epoch.observe(on: connection).generation
        // What is in memory may be ahead of the table, after a crash of the database, or behind it.
        var writers: [PartitionWriter] = []
        for partition in partitions { writers.append(try await open(partition, on: connection, in: generation)) }
        let lags = partitions.map(ProjectionMetrics.lag)
        for await _ in feed.changes().cancelOnGracefulShutdown() {
            while !isStopping {
                let (turns, left) = try await turns(of: writers, lags: lags, in: generation)
                guard !turns.isEmpty else { break }
                let began = ContinuousClock.now
                try await take(turns, of: &writers, on: connection, in: generation)
                succeeded()
                if left == 0 { await rest(began.duration(to: .now)) }
            }
            if isStopping { return }
        }
    }

    private func open(
        _ partition: Int,
        on connection: PostgresConnection,
        in generation: Int
    ) async throws -> PartitionWriter {
        let writer = try await PartitionWriter.open(partition: partition, in: .live, on: connection)
        checkpoints.set(partition, to: writer.position, in: generation)
        return writer
    }

    /// The next events of all partitions that have any, each its share, and how many are left.
    ///
    /// - Throws: `EpochEnded` where the connection is of an epoch that is over: events that were lost must not be written.
    private func turns(
        of writers: [PartitionWriter],
        lags: [Gauge],
        in generation: Int
    ) async throws -> (turns: [PartitionWriter.Turn], left: Int64) {
        var behind: [(place: Int, lag: Int64)] = []
        for (place, writer) in writers.enumerated() {
            let lag = feed.head(of: writer.partition) - writer.position
            if lag > 0 { behind.append((place, lag)) }
        }
        guard feed.epoch.generation == generation else { throw EpochEnded() }
        guard !behind.isEmpty else { return ([], 0) }
        let limit = max(Self.leastEvents, Self.batchEvents / behind.count)
        var turns: [PartitionWriter.Turn] = []
        var left: Int64 = 0
        for (place, lag) in behind {
            let writer = writers[place]
            let events = try await feed.events(
                partition: writer.partition,
                after: writer.position,
                limit: limit,
                in: generation
            )
            let rest = max(0, lag - Int64(events.count))
            lags[place].record(rest)
            left += rest
            if !events.isEmpty { turns.append(PartitionWriter.Turn(place: place, events: events)) }
        }
        return (turns, left)
    }

    private func take(
        _ turns: [PartitionWriter.Turn],
        of writers: inout [PartitionWriter],
        on connection: PostgresConnection,
        in generation: Int
    ) async throws {
        do {
            if try await !PartitionWriter.writeTogether(turns, of: &writers, on: connection) {
                for turn in turns { try await writers[turn.place].write(turn.events, on: connection) }
            }
        } catch is Checkpoint.Overtaken {
            ProjectionMetrics.overtaken.increment()
            for turn in turns {
                writers[turn.place] = try await open(writers[turn.place].partition, on: connection, in: generation)
            }
            return
        }
        for turn in turns {
            checkpoints.set(writers[turn.place].partition, to: writers[turn.place].position, in: generation)
        }
    }

    /// Lets events gather for as long as the last ones took, so that writing takes half of the time: where it takes
    /// longer, the batches grow, and commands keep the cores.
    private func rest(_ duration: Duration) async {
        // Ends early only by cancellation, which the loop looks at.
        try? await Task.sleep(for: min(duration, Self.longestRest), tolerance: .zero)
    }

    /// From 50 ms to 5 s, with some randomness, so that processes do not come back in step.
    private func pause(_ failures: Int) async {
        let longest = min(5_000, 50 << min(failures - 1, 10))
        let milliseconds = Int.random(in: longest / 2...longest)
        // Ends early only by cancellation, which the loop looks at.
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }
}
