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

    let queue: LaneQueue
    let log: LogReader
    let feed: Feed
    let snapshots: Snapshots
    let formats: FormatGate
    let coldLoads: ColdLoads
    private let configuration: PostgresConfiguration
    private let logger: Logger

    init(
        queueCapacity: Int,
        log: LogReader,
        feed: Feed,
        snapshots: Snapshots,
        formats: FormatGate,
        configuration: PostgresConfiguration,
        logger: Logger
    ) {
        queue = LaneQueue(capacity: queueCapacity)
        self.log = log
        self.feed = feed
        self.snapshots = snapshots
        self.formats = formats
        self.configuration = configuration
        self.logger = logger
        coldLoads = ColdLoads(queue: queue, log: log, snapshots: snapshots, logger: logger)
    }

    /// Puts a command in line; false when the line is full.
    func put(_ command: PendingCommand) -> Bool {
        queue.put(command)
    }

    /// Ends the line: what waits is still done, then `run` returns.
    func close() {
        queue.close()
    }

    /// Works until closed and empty.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.coldLoads.run() }
            await withTaskExecutorPreference(PostgresThread.executor) { await work() }
            group.cancelAll()
        }
    }

    /// What is left of a batch.
    private struct Batch {
        /// To be decided on what memory holds.
        var open: [PendingCommand] = []
        /// To be decided under the partitions' locks: the log may have them already, or another process writes there, too.
        var guarded: [PendingCommand] = []
        /// Whether others may join: not once a round has left something of what it took, or those who wait in line for other
        /// aggregates would wait for as long as others come for these.
        var isJoined = true

        var isEmpty: Bool { open.isEmpty && guarded.isEmpty }

        /// Ends the commands that hold a key of an epoch that is over: they are tried again with the one that is left.
        mutating func endOutdated(in generation: Int) {
            func isOutdated(_ command: PendingCommand) -> Bool { command.generation != generation }
            for command in open.filter(isOutdated) + guarded.filter(isOutdated) {
                command.finish(.failure(EpochEnded()))
            }
            open.removeAll(where: isOutdated)
            guarded.removeAll(where: isOutdated)
        }

        /// Ends the commands whose callers wait no longer, over however many rounds.
        mutating func endLate() {
            let now = ContinuousClock.now
            func isLate(_ command: PendingCommand) -> Bool { command.deadline <= now }
            for command in open.filter(isLate) + guarded.filter(isLate) { command.endUndone(.overloaded) }
            open.removeAll(where: isLate)
            guarded.removeAll(where: isLate)
        }
    }

    private func work() async {
        var memory = LaneMemory()
        var connection: PostgresConnection?
        while let commands = await queue.take(limit: Self.batchLimit) {
            EventStoreMetrics.batchSize.record(commands.count)
            var batch = Batch()
            for command in commands {
                if command.mayHaveHappened || memory.isContended(command.aggregate) {
                    batch.guarded.append(command)
                } else {
                    batch.open.append(command)
                }
            }
            var failures = 0
            while !batch.isEmpty {
                do {
                    let session = try await open(connection, &memory)
                    connection = session
                    batch.endOutdated(in: memory.generation)
                    try await takeOneRound(&batch, &memory, session)
                    failures = 0
                } catch let error as PostgresError where error.isAboutData {
                    await isolate(&batch, &memory, connection)
                } catch {
                    // Whether an append in flight took effect is unknown: the same ids go again, and tell.
                    memory.heads.forget()
                    batch = Batch(guarded: batch.open + batch.guarded)
                    for command in batch.guarded { command.noteUnknownOutcome() }
                    failures += 1
                    await rest(after: error, failures: failures)
                }
                batch.endLate()
            }
        }
        await connection?.close()
    }

    private func open(_ current: PostgresConnection?, _ memory: inout LaneMemory) async throws -> PostgresConnection {
        if let current, !current.isClosed, memory.generation == feed.epoch.generation { return current }
        // Of an epoch that is over: it may lead to an old primary.
        await current?.close()
        let opened = try await PostgresConnection.connect(configuration, logger: logger)
        do {
            memory.begin(try await feed.epoch.observe(on: opened).generation)
            return opened
        } catch {
            await opened.close()
            throw error
        }
    }

    private func takeOneRound(
        _ batch: inout Batch,
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws {
        if !batch.open.isEmpty {
            let again = try await openRound(batch.open, &memory, connection)
            batch = Batch(guarded: batch.guarded + again)
        } else {
            var (now, later) = Self.split(batch.guarded)
            // Where the round fails, those that have joined it stay with the batch.
            defer { batch.guarded = now + later }
            now = try await guardedRound(&now, isJoined: batch.isJoined, &memory, connection)
            if !now.isEmpty { batch.isJoined = false }
        }
    }

    /// The commands of as many aggregates as one guarded round may take, and the others.
    private static func split(_ commands: [PendingCommand]) -> (now: [PendingCommand], later: [PendingCommand]) {
        var aggregates: Set<AggregateKey> = []
        for command in commands where aggregates.count < AggregateReader.aggregatesAtOnce {
            aggregates.insert(command.aggregate)
        }
        return (
            commands.filter { aggregates.contains($0.aggregate) },
            commands.filter { !aggregates.contains($0.aggregate) }
        )
    }

    /// One command's data must not fail its neighbours: each goes alone, and the one at fault fails alone.
    private func isolate(_ batch: inout Batch, _ memory: inout LaneMemory, _ connection: PostgresConnection?) async {
        let commands = batch.open + batch.guarded
        batch = Batch()
        for command in commands {
            guard let connection, !connection.isClosed else {
                batch.guarded.append(command)
                continue
            }
            do {
                var alone = [command]
                batch.guarded += try await guardedRound(&alone, isJoined: false, &memory, connection)
            } catch let error as PostgresError where error.isAboutData {
                logger.error("a command's event was refused by the database", metadata: ["error": "\(error)"])
                command.finish(.failure(error))
            } catch {
                command.noteUnknownOutcome()
                batch.guarded.append(command)
            }
        }
    }

    private func rest(after error: any Error, failures: Int) async {
        EventStoreMetrics.laneFailures.increment()
        if failures == 1 || failures.isMultiple(of: 20) {
            logger.warning("a lane's append failed and is tried again", metadata: ["error": "\(error)"])
        }
        // Cancellation only cuts the pause short; the commands are still answered.
        try? await Task.sleep(for: .milliseconds(min(1_000, 10 << min(failures, 7))))
    }
}

extension PostgresError {
    /// Data exceptions and constraint violations: the fault of what was sent, not of the moment.
    package var isAboutData: Bool {
        sqlState.isClass("22") || sqlState.isClass("23")
    }
}
