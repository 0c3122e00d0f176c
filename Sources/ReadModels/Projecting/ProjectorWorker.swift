import CoreMetrics
import EventSourcing
import EventStore
import Logging
import Postgres
import ServiceLifecycle

/// Projects some of the partitions, on a connection of its own.
struct ProjectorWorker: Sendable {
    private static let batchEvents = 512

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
        // What is in memory may be ahead of the table, after a crash of the database, or behind it.
        var writers: [PartitionWriter] = []
        for partition in partitions { writers.append(try await open(partition, on: connection)) }
        let lags = partitions.map(ProjectionMetrics.lag)
        for await _ in feed.changes().cancelOnGracefulShutdown() {
            var progressed = true
            while progressed, !isStopping {
                progressed = false
                for index in writers.indices {
                    let lag = feed.head(of: writers[index].partition) - writers[index].position
                    guard lag > 0 else { continue }
                    lags[index].record(lag)
                    try await advance(&writers[index], on: connection)
                    if lag <= Self.batchEvents { lags[index].record(0) }
                    succeeded()
                    progressed = true
                }
            }
            if isStopping { return }
        }
    }

    private func open(_ partition: Int, on connection: PostgresConnection) async throws -> PartitionWriter {
        let writer = try await PartitionWriter.open(partition: partition, in: .live, on: connection)
        checkpoints.set(partition, to: writer.position)
        return writer
    }

    private func advance(_ writer: inout PartitionWriter, on connection: PostgresConnection) async throws {
        let events = try await feed.events(
            partition: writer.partition,
            after: writer.position,
            limit: Self.batchEvents
        )
        do {
            try await writer.write(events, on: connection)
            checkpoints.set(writer.partition, to: writer.position)
        } catch is Checkpoint.Overtaken {
            ProjectionMetrics.overtaken.increment()
            writer = try await open(writer.partition, on: connection)
        }
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
