import CoreMetrics
package import EventSourcing
package import Foundation
package import Logging
package import Postgres
import Synchronization

/// The door to the log: commands go in through lanes, readers follow the feed or ask for streams.
package final class EventStore: Sendable {
    package struct Configuration: Sendable {
        /// How many lines of commands are worked off at once, each with a connection of its own.
        package var lanes: Int
        /// Commands that may wait in one lane before more are refused.
        package var laneQueue: Int
        /// After this a caller whose command found no database is told so.
        package var commandDeadline: Duration
        /// The program's version, for people who look at the processes.
        package var version: String
        /// How often the log is asked for what other processes append, while they do.
        package var pollInterval: Duration

        package init(
            lanes: Int = 4,
            laneQueue: Int = 4_096,
            commandDeadline: Duration = .seconds(5),
            version: String = "unnamed",
            pollInterval: Duration = .milliseconds(250)
        ) {
            self.lanes = lanes
            self.laneQueue = laneQueue
            self.commandDeadline = commandDeadline
            self.version = version
            self.pollInterval = pollInterval
        }
    }

    /// The log's present epoch: what is remembered of the log is true as long as it lasts.
    package let epoch: LogEpoch
    package let pool: PostgresPool
    package let keyring: Keyring
    package let log: LogReader
    package let feed: Feed
    /// Which formats of events may be written.
    package let formats: FormatGate
    /// Which processes live. Somebody has to run it: otherwise nothing is claimed under this process's key.
    package let sessions: ProcessSessions
    private let lanes: [Lane]
    private let snapshots: Snapshots
    private let shredder: Shredder
    private let deadline: Duration
    private let known: EpochMemory<TwoGenerationCache<StreamID, Bool>>
    private let erased: ErasedPeople

    /// - Parameters:
    ///   - database: how lanes connect; the pool is for reads.
    package init(
        identity: LogIdentity,
        catalog: EventCatalog,
        masterKey: MasterKey,
        database: PostgresConfiguration,
        pool: PostgresPool,
        configuration: Configuration = Configuration(),
        logger: Logger
    ) {
        EventStoreMetrics.begin()
        self.pool = pool
        let epoch = LogEpoch(identity, logger: logger)
        epoch.watch(pool)
        self.epoch = epoch
        known = EpochMemory(epoch) { TwoGenerationCache(capacity: 200_000) }
        let erased = ErasedPeople()
        let keyring = Keyring(pool: pool, masterKey: masterKey, erased: erased, epoch: epoch)
        let log = LogReader(pool: pool, keyring: keyring, catalog: catalog, identity: identity)
        let feed = Feed(
            log: log,
            epoch: epoch,
            pollInterval: configuration.pollInterval,
            logger: logger,
            onErasure: { keyring.forget($0) }
        )
        self.erased = erased
        let snapshots = Snapshots(pool: pool, epoch: epoch, logger: logger)
        self.keyring = keyring
        self.log = log
        self.feed = feed
        shredder = Shredder(pool: pool, feed: feed, partitions: identity.partitions, logger: logger)
        let formats = FormatGate(
            format: catalog.format,
            version: configuration.version,
            pool: pool,
            epoch: epoch,
            logger: logger
        )
        self.formats = formats
        sessions = ProcessSessions(database: database, logger: logger)
        epoch.onBegin { _ in erased.removeAll() }
        self.snapshots = snapshots
        deadline = configuration.commandDeadline
        let laneDatabase = Self.settings(ofLanesOn: database)
        lanes = (0..<max(1, min(configuration.lanes, identity.partitions))).map { _ in
            Lane(
                queueCapacity: configuration.laneQueue,
                log: log,
                feed: feed,
                snapshots: snapshots,
                formats: formats,
                configuration: laneDatabase,
                logger: logger
            )
        }
    }

    static func settings(ofLanesOn database: PostgresConfiguration) -> PostgresConfiguration {
        // Each of a lane's few statements has one right plan, by the log's indexes.
        var database = database.planningOnce(bitmaps: false)
        database.settings["synchronous_commit"] = "on"
        database.settings["lock_timeout"] = "2s"
        // A guarded round keeps others from its partitions until its transaction ends.
        database.settings["idle_in_transaction_session_timeout"] = "2s"
        database.settings["statement_timeout"] = "5s"
        return database
    }

    /// Which log this is now: its epoch changes while the process runs.
    package var identity: LogIdentity {
        LogIdentity(epoch: epoch.present.id, partitions: log.identity.partitions)
    }

    /// Handles a command: decides it against the aggregate's newest state, appends what follows, and answers when that is
    /// durable.
    ///
    /// - Parameter answer: reads what the caller wants to know off the state right after the command.
    /// - Throws: the decider's rejection, ``CommandError``, or a `PostgresError` about the command's data.
    package func handle<D: Decider, Answer: Sendable>(
        _ command: D.Command,
        of decider: D.Type,
        on id: UUID,
        context: CommandContext,
        answer: @escaping @Sendable (D.State) -> Answer
    ) async throws -> Handled<Answer> {
        let partition = log.identity.partition(of: id)
        let box = AnswerBox()
        let deadline = ContinuousClock.now + deadline
        let doubt = CommandDoubt()
        func attempt(in epoch: Epoch) async throws -> CommandOutcome {
            let key = try await key(of: context.actor)
            return try await withCheckedThrowingContinuation { continuation in
                let pending = PendingCommand(
                    CommandRequest<D>(command: command, observe: { box.set(answer($0)) }),
                    to: id,
                    partition: partition,
                    context: context,
                    key: key,
                    generation: epoch.generation,
                    deadline: deadline,
                    doubt: doubt,
                    resume: { continuation.resume(with: $0) }
                )
                guard lanes[partition % lanes.count].put(pending) else {
                    EventStoreMetrics.overloads.increment()
                    pending.endUndone(.overloaded)
                    return
                }
            }
        }
        let (outcome, epoch) = try await inPresentEpoch(attempt)
        guard let answer = box.value(as: Answer.self) else {
            preconditionFailure("every handled command was shown the state, or its outcome would be an error")
        }
        return Handled(
            events: outcome.events,
            isReplay: outcome.isReplay,
            answer: answer,
            token: Cursor(epoch: epoch.id, positions: [partition: outcome.position])
        )
    }

    private func key(of actor: UUID?) async throws -> PersonKey? {
        guard let actor else { return nil }
        guard let key = try await keyring.key(of: actor) else { throw CommandError.unknownActor }
        return key
    }

    /// Tries again where an epoch ended meanwhile: the key that the command holds may have been lost with it.
    ///
    /// - Returns: the epoch in which the attempt began. What was committed in it, or in a later one, is covered by a token of
    ///   it: of an epoch that is over, a token means all that is left.
    private func inPresentEpoch<Result: Sendable>(
        _ attempt: (Epoch) async throws -> Result
    ) async throws -> (Result, Epoch) {
        while true {
            let epoch = epoch.present
            do {
                return (try await attempt(epoch), epoch)
            } catch is EpochEnded {
                continue
            }
        }
    }

    /// Destroys a person's key: what it sealed reads as erased from now on, here and in every process.
    package func destroyKey(of person: UUID) async throws {
        try await keyring.destroy(person)
        // What was read with the key is in memory still.
        feed.dropMemory()
    }

    /// Uses nothing any more that is remembered of a person.
    package func forget(_ person: UUID) {
        keyring.forget(person)
    }

    /// Which of these aggregates exist; what exists is remembered, until it is known to be erased.
    package func existing(_ ids: [UUID], category: StreamCategory) async throws -> Set<UUID> {
        let generation = known.generation
        let found = known.withLock { known in
            Set(ids.filter { known.value(for: StreamID(category, $0)) != nil && !erased.contains($0) })
        }
        let unknown = ids.filter { !found.contains($0) }
        guard !unknown.isEmpty else { return found }
        let read = try await log.existing(unknown, category: category)
        known.withLock(of: generation) { known in
            for id in read { known.insert(true, for: StreamID(category, id)) }
        }
        return found.union(read)
    }

    /// Works the lanes and follows the log until cancelled or shut down gracefully by ``close()``; commands that wait are
    /// done first.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.snapshots.run() }
            group.addTask { await self.feed.run() }
            group.addTask { await self.feed.followHints() }
            group.addTask { await self.shredder.run() }
            await withTaskGroup(of: Void.self) { lanes in
                for lane in self.lanes { lanes.addTask { await lane.run() } }
                await withTaskCancellationHandler {
                    await lanes.waitForAll()
                } onCancel: {
                    self.close()
                }
            }
            snapshots.close()
            group.cancelAll()
        }
    }

    /// Refuses new commands; ``run()`` returns when those that wait are done.
    package func close() {
        for lane in lanes { lane.close() }
    }
}

/// Where a lane leaves an answer for the task that waits for it. Of any type, because each part of a box of its own would
/// have to be looked up at run time, at every step.
private final class AnswerBox: Sendable {
    private let state = Mutex<(any Sendable)?>(nil)

    func set(_ answer: any Sendable) {
        state.withLock { $0 = answer }
    }

    func value<Answer: Sendable>(as type: Answer.Type) -> Answer? {
        guard let answer = state.withLock({ $0 }) else { return nil }
        return answer as? Answer
    }
}
