import CoreMetrics
import EventSourcing
import Logging
import Postgres

/// One line of commands: takes everything that waits, decides it against the state in memory, and appends all that
/// follows in one transaction. While that is in flight the next batch gathers.
///
/// Each lane serves some of the partitions, with a connection of its own, so that in one process commands on one
/// conversation never conflict. Those of another process are met by the expected versions.
final class Lane: Sendable {
    /// The most commands of one batch.
    static let batchLimit = 512

    private let queue: LaneQueue
    private let log: LogReader
    private let feed: Feed
    private let snapshots: SnapshotWriter
    private let configuration: PostgresConfiguration
    private let logger: Logger

    init(
        queueCapacity: Int,
        log: LogReader,
        feed: Feed,
        snapshots: SnapshotWriter,
        configuration: PostgresConfiguration,
        logger: Logger
    ) {
        queue = LaneQueue(capacity: queueCapacity)
        self.log = log
        self.feed = feed
        self.snapshots = snapshots
        self.configuration = configuration
        self.logger = logger
    }

    /// Puts a command in line; false when the line is full.
    func put(_ command: any LaneCommand) -> Bool {
        queue.put(command)
    }

    /// Ends the line: what waits is still done, then `run` returns.
    func close() {
        queue.close()
    }

    /// Works until closed and empty.
    func run() async {
        let worker = LaneWorker(log: log, feed: feed, snapshots: snapshots)
        var connection: PostgresConnection?
        while var work = await queue.take(limit: Self.batchLimit) {
            EventStoreMetrics.batchSize.record(work.count)
            var failures = 0
            while !work.isEmpty {
                do {
                    let open = try await self.connection(connection, for: worker)
                    connection = open
                    work = try await worker.process(work, on: open)
                    failures = 0
                } catch let error as PostgresError where error.isAboutData {
                    worker.forget(work)
                    work = await isolate(work, worker: worker, connection: connection)
                } catch {
                    // Whether an append in flight took effect is unknown: the same ids go again, and tell.
                    worker.forget(work)
                    failures += 1
                    work = await afterFailure(error, failures: failures, work: work)
                }
            }
        }
        await connection?.close()
    }

    private func connection(
        _ current: PostgresConnection?,
        for worker: LaneWorker
    ) async throws -> PostgresConnection {
        if let current, !current.isClosed, worker.generation == feed.epoch.generation { return current }
        // Of an epoch that is over: it may lead to an old primary.
        await current?.close()
        let opened = try await PostgresConnection.connect(configuration, logger: logger)
        do {
            worker.begin(try await feed.epoch.observe(on: opened).generation)
            return opened
        } catch {
            await opened.close()
            throw error
        }
    }

    /// One command's data must not fail its neighbours: each goes alone, and the one at fault fails alone.
    private func isolate(
        _ work: [any LaneCommand],
        worker: LaneWorker,
        connection: PostgresConnection?
    ) async -> [any LaneCommand] {
        var again: [any LaneCommand] = []
        for command in work {
            guard let connection else {
                again.append(command)
                continue
            }
            do {
                again += try await worker.process([command], on: connection)
            } catch let error as PostgresError where error.isAboutData {
                worker.forget([command])
                logger.error("a command's event was refused by the database", metadata: ["error": "\(error)"])
                command.finish(.failure(error))
            } catch {
                worker.forget([command])
                again.append(command)
            }
        }
        return again
    }

    private func afterFailure(
        _ error: any Error,
        failures: Int,
        work: [any LaneCommand]
    ) async -> [any LaneCommand] {
        EventStoreMetrics.laneFailures.increment()
        if failures == 1 || failures.isMultiple(of: 20) {
            logger.warning("a lane's append failed and is tried again", metadata: ["error": "\(error)"])
        }
        let now = ContinuousClock.now
        let (inTime, late) = work.split { $0.deadline > now }
        for command in late { command.finish(.failure(CommandError.unavailable)) }
        if !inTime.isEmpty {
            // Cancellation only cuts the pause short; the commands are still answered.
            try? await Task.sleep(for: .milliseconds(min(1_000, 10 << min(failures, 7))))
        }
        return inTime
    }
}

extension Array {
    func split(_ condition: (Element) -> Bool) -> (matching: [Element], others: [Element]) {
        var matching: [Element] = []
        var others: [Element] = []
        for element in self {
            if condition(element) { matching.append(element) } else { others.append(element) }
        }
        return (matching, others)
    }
}

extension PostgresError {
    /// Data exceptions and constraint violations: the fault of what was sent, not of the moment.
    package var isAboutData: Bool {
        sqlState.isClass("22") || sqlState.isClass("23")
    }
}
