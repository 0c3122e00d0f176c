import CoreMetrics
import EventSourcing
import Foundation
import Logging
import Postgres
import Synchronization

/// Folds histories that are too long for a lane to wait for, beside it: page by page, several in turn. What was folded is
/// stored on the way, so that a second try begins where the first one ended; at the end the lane finds the state stored.
final class ColdLoads: Sendable {
    /// Histories that are folded in turn; more wait.
    private static let limit = 8
    /// Events of one stream that are read at once.
    private static let pageSize = 2_048
    /// Events after which the state is stored.
    private static let storeInterval = 32_768

    private struct State {
        /// Histories that wait or are being folded.
        var known: Set<AggregateKey> = []
        var waiting: [(key: AggregateKey, aggregate: @Sendable () -> any AnyAggregate)] = []
    }

    private let queue: LaneQueue
    private let log: LogReader
    private let snapshots: Snapshots
    private let logger: Logger
    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(queue: LaneQueue, log: LogReader, snapshots: Snapshots, logger: Logger) {
        self.queue = queue
        self.log = log
        self.snapshots = snapshots
        self.logger = logger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Begins to fold the history that a command is about, unless that is under way. The command waits in the queue.
    func begin(for command: PendingCommand) {
        state.withLock { state in
            guard state.known.insert(command.aggregate).inserted else { return }
            state.waiting.append((command.aggregate, command.makeAggregate))
        }
        signal.yield()
    }

    /// Works until cancelled.
    func run() async {
        for await _ in signals {
            var loads: [ColdLoad] = []
            repeat {
                loads += takeWaiting(atMost: Self.limit - loads.count)
                for load in loads { await advance(load) }
                loads.removeAll(where: \.isDone)
            } while !loads.isEmpty && !Task.isCancelled
        }
    }

    private func takeWaiting(atMost count: Int) -> [ColdLoad] {
        state.withLock { state in
            defer { state.waiting.removeFirst(min(count, state.waiting.count)) }
            return state.waiting.prefix(count).map {
                ColdLoad(key: $0.key, aggregate: $0.aggregate(), generation: snapshots.generation)
            }
        }
    }

    /// Takes a history one page further.
    private func advance(_ load: ColdLoad) async {
        do {
            guard load.generation == snapshots.generation else {
                // The lane tells its commands so.
                end(load)
                return queue.release(load.key)
            }
            let isAtEnd = try await load.readPage(of: Self.pageSize, from: log)
            if isAtEnd || load.foldedSinceStore >= Self.storeInterval { try await load.store(by: snapshots) }
            guard isAtEnd else { return }
            logger.info(
                "a long history was folded",
                metadata: ["events": "\(load.folded)", "took": "\(load.began.duration(to: .now))"]
            )
            end(load)
            queue.release(load.key)
        } catch let unreadable as UnreadableHistory {
            end(load)
            for command in queue.withdraw(load.key) { command.finish(.failure(unreadable.commandError)) }
        } catch is CancellationError {
            return
        } catch {
            await pause(load, after: error)
        }
    }

    /// The database failed: tries again for as long as somebody waits.
    private func pause(_ load: ColdLoad, after error: any Error) async {
        load.failures += 1
        if load.failures == 1 {
            logger.warning("a long history cannot be read yet", metadata: ["error": "\(error)"])
        }
        guard queue.isAwaited(load.key) else {
            end(load)
            // Somebody may have come in between, and found it under way.
            return queue.release(load.key)
        }
        // Ends early only by cancellation, which the loop looks at.
        try? await Task.sleep(for: .milliseconds(min(2_000, 50 << min(load.failures, 6))))
    }

    private func end(_ load: ColdLoad) {
        load.isDone = true
        state.withLock { _ = $0.known.remove(load.key) }
    }
}

/// One history on its way into memory. Confined to the task of its `ColdLoads`.
private final class ColdLoad {
    let key: AggregateKey
    /// The epoch in which it is read.
    let generation: Int
    let began = ContinuousClock.now
    var isDone = false
    var failures = 0
    private(set) var folded = 0
    private(set) var foldedSinceStore = 0
    private let aggregate: any AnyAggregate
    private var isRestored = false

    init(key: AggregateKey, aggregate: any AnyAggregate, generation: Int) {
        self.key = key
        self.generation = generation
        self.aggregate = aggregate
    }

    /// Folds the next events; returns whether they were the last.
    func readPage(of size: Int, from log: LogReader) async throws -> Bool {
        let needsState = !isRestored
        let (events, isAtEnd) = try await log.pool.withConnection { [key, aggregate] connection in
            if needsState { try await AggregateReader.restore([key: aggregate], on: connection) }
            return try await AggregateReader.page(of: aggregate, limit: size, on: connection)
        }
        isRestored = true
        try UnreadableHistory.unless { try aggregate.fold(events, catalog: log.catalog) }
        folded += events.count
        foldedSinceStore += events.count
        EventStoreMetrics.coldEvents.increment(by: events.count)
        return isAtEnd
    }

    func store(by snapshots: Snapshots) async throws {
        try await snapshots.store(aggregate.snapshot(), of: generation)
        foldedSinceStore = 0
    }
}
