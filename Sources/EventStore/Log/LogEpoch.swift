import CoreMetrics
package import Logging
package import Postgres
import Synchronization

/// A course of the log without a loss: as long as it lasts, what was once read of the log is true.
package struct Epoch: Sendable, Equatable {
    /// Counts the epochs that this process has seen, from 0.
    package let generation: Int
    /// What cursors carry: the same in every process.
    package let id: UInt64
    /// Where the log ended when this process found the epoch.
    package let heads: [Int64]

    package init(generation: Int, id: UInt64, heads: [Int64]) {
        self.generation = generation
        self.id = id
        self.heads = heads
    }
}

/// What was asked for belongs to an epoch that is over. Begin again, on a connection of the present one.
package struct EpochEnded: Error {
    package init() {}
}

/// The epoch of the log that this process works in. One per event store.
///
/// After a promotion the log may lack commits that the old primary had acknowledged, and the same positions are taken again by
/// other events. So each connection that writes the log, or reads it for good, is looked at first, and the feed looks
/// now and then. Where the timeline is another one, a new epoch begins, and nothing that was remembered of the
/// log is used any more: memories ask for the generation (``EpochMemory``), whoever waits is told by ``onBegin(_:)``.
///
/// A log that ends before what was known of it, on the same timeline, is a backup that was put back. The database itself
/// then begins an epoch, so that all processes have the same one.
package final class LogEpoch: Sendable {
    private struct State {
        var present: Epoch
        /// Nil where it was never read: the first observation is taken for what it was.
        var mark: LogMark?
        /// What this process has left, and never goes back to: an old primary may come back where the new one was.
        var past: Set<LogMark> = []
        var earlier: Set<UInt64> = []
        var pools: [PostgresPool] = []
        var knownHeads: @Sendable () -> [Int64] = { [] }
        var handlers: [@Sendable (Epoch) -> Void] = []
    }

    private let partitions: Int
    private let logger: Logger
    private let state: Mutex<State>
    /// The present generation beside the lock: memories ask for it with each use.
    private let newest = Atomic(0)

    package init(_ identity: LogIdentity, logger: Logger) {
        partitions = identity.partitions
        self.logger = logger
        let nowhere = [Int64](repeating: 0, count: identity.partitions)
        state = Mutex(
            State(
                present: Epoch(generation: 0, id: identity.epoch, heads: nowhere),
                mark: identity.mark,
                earlier: identity.mark?.earlierEpochs ?? []
            )
        )
    }

    package var present: Epoch { state.withLock { $0.present } }

    package var generation: Int { newest.load(ordering: .acquiring) }

    /// Whether a cursor was made in an epoch of this log that is over.
    package func isEarlier(_ id: UInt64) -> Bool {
        state.withLock { $0.earlier.contains(id) }
    }

    /// Calls `handler` after each beginning of an epoch, once for each. It must not block.
    package func onBegin(_ handler: @escaping @Sendable (Epoch) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Looks at each connection of a pool before its first use, and has the pool make all of them anew in a new epoch.
    func watch(_ pool: PostgresPool) {
        state.withLock { $0.pools.append(pool) }
        pool.onFirstUse { [weak self] connection in _ = try await self?.observe(on: connection) }
    }

    /// Says what is known of the log's ends without asking.
    func compareHeads(with known: @escaping @Sendable () -> [Int64]) {
        state.withLock { $0.knownHeads = known }
    }

    // MARK: Observing

    /// Looks at the log over a new connection, before anything is read or written over it.
    ///
    /// - Returns: the epoch that the connection belongs to. Once that is not the present one any more, the connection may
    ///   lead to an old primary: close it.
    /// - Throws: ``LogError`` where nothing can be written there, or database errors; then close it, and try again later.
    @discardableResult
    package func observe(on connection: PostgresConnection) async throws -> Epoch {
        try await observeHeads(on: connection).epoch
    }

    func observeHeads(on connection: PostgresConnection) async throws -> (epoch: Epoch, heads: [Int64]) {
        // Asked for before the observation: what is learned meanwhile may be newer than what it shows.
        let (before, knownHeads) = state.withLock { ($0.present, $0.knownHeads) }
        let known = knownHeads()
        var seen = try await LogSighting.take(on: connection)
        let isBack = state.withLock { state in
            state.present.generation == before.generation && state.mark == seen.mark && seen.isShorter(than: known)
        }
        if isBack { try await connection.execute("SELECT parley.begin_epoch(\(seen.mark.id))") }
        // Another connection may have gone on to a new epoch between this observation and now.
        if isBack || isPast(seen.mark) { seen = try await LogSighting.take(on: connection) }
        return (try adopt(seen), seen.heads)
    }

    private func isPast(_ mark: LogMark) -> Bool {
        state.withLock { $0.past.contains(mark) }
    }

    // MARK: Beginning

    private func adopt(_ seen: LogSighting) throws -> Epoch {
        let (epoch, handlers) = try state.withLock { state in
            guard seen.heads.count == partitions else {
                throw LogError.otherPartitions(expected: partitions, found: seen.heads.count)
            }
            guard let mark = state.mark, mark != seen.mark else {
                state.mark = seen.mark
                return (state.present, [@Sendable (Epoch) -> Void]())
            }
            guard !seen.mark.isOlder(than: mark), !state.past.contains(seen.mark) else {
                throw LogError.pastEpoch(timeline: seen.mark.timeline)
            }
            state.past.insert(mark)
            state.earlier.formUnion(seen.mark.earlierEpochs)
            state.earlier.insert(mark.epoch)
            state.mark = seen.mark
            state.present = Epoch(
                generation: state.present.generation + 1,
                id: seen.mark.epoch,
                heads: seen.heads
            )
            // Before anybody sees the new generation: what is read under it comes from connections of its own.
            for pool in state.pools { pool.renew() }
            newest.store(state.present.generation, ordering: .releasing)
            return (state.present, state.handlers)
        }
        guard !handlers.isEmpty else { return epoch }
        EventStoreMetrics.epochs.increment()
        logger.warning(
            "the log is another than before, and may lack what was acknowledged: a new epoch begins",
            metadata: ["timeline": "\(seen.mark.timeline)", "epoch": "\(epoch.generation)"]
        )
        for handler in handlers { handler(epoch) }
        return epoch
    }
}
