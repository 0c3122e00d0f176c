import CoreMetrics
import EventSourcing
import EventStore
import Logging
import Postgres
import ServiceLifecycle

/// Projects some of the partitions, on one connection for all that go well.
///
/// A partition that does not go on is tried by itself (``LonePartition``), on connections of its own, until it is through:
/// neither its errors nor its waiting hold up the others.
struct ProjectorWorker: Sendable {
    /// About the most events of one transaction.
    private static let batchEvents = 512
    /// The least that a partition may bring, however many there are.
    private static let leastEvents = 32
    /// How long a rest is, by how long the batch before it took, and at most.
    private static let restFactor = 10
    private static let longestRest = Duration.milliseconds(50)

    /// Those that are this process's to project among them: all, where it has no leases.
    let partitions: [Int]
    let leases: ProjectionLeases?
    let feed: Feed
    let checkpoints: Checkpoints
    let database: PostgresConfiguration
    /// How long a statement may take while other partitions wait for it.
    let patience: Duration
    let logger: Logger

    func run() async {
        let lone = LonePartitions(worker: self)
        let leased = leases?.changes()
        await withDiscardingTaskGroup { group in
            group.addTask { await lone.run() }
            if let leased {
                group.addTask { for await _ in leased.cancelOnGracefulShutdown() { lone.wake() } }
            }
            lone.wake(by: feed)
            group.addTask {
                try? await gracefulShutdown()
                lone.wake()
            }
            await projectAll(but: lone)
            lone.finish()
        }
    }

    /// - Parameter timeout: how long a statement may take.
    func connect(timeout: Duration) async throws -> ProjectorSession {
        try await ProjectorSession.open(database, timeout: timeout, epoch: feed.epoch, logger: logger)
    }

    private func projectAll(but lone: LonePartitions) async {
        var failures = 0
        while !isStopping {
            do {
                let session = try await connect(timeout: patience)
                do {
                    try await work(in: session, but: lone) { failures = 0 }
                    await session.connection.close()
                } catch {
                    checkpoints.forget(partitions)
                    await session.connection.close()
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

    var isStopping: Bool {
        Task.isCancelled || Task.isShuttingDownGracefully
    }

    private func work(
        in session: ProjectorSession,
        but lone: LonePartitions,
        succeeded: () -> Void
    ) async throws {
        // What is in memory may be ahead of the table, after a crash of the database, or behind it.
        var writers: [PartitionWriter] = []
        repeat {
            while !isStopping {
                try await openRest(&writers, but: lone, in: session)
                let (news, left) = try await news(of: &writers, in: session, sendingTo: lone)
                guard !news.isEmpty else { break }
                let began = ContinuousClock.now
                try await take(news, of: &writers, in: session, sendingTo: lone)
                succeeded()
                if left == 0 { await rest(after: began.duration(to: .now)) }
            }
        } while await lone.waitForWake() && !isStopping
    }

    /// Opens what is not at work here or by itself: at first all, later what comes back; and lets go of what another process
    /// projects now.
    private func openRest(
        _ writers: inout [PartitionWriter],
        but lone: LonePartitions,
        in session: ProjectorSession
    ) async throws {
        var own = partitions
        if let held = leases?.held {
            if !own.allSatisfy(held.contains) { own.removeAll { !held.contains($0) } }
            if !writers.allSatisfy({ held.contains($0.partition) }) {
                writers.removeAll { !held.contains($0.partition) }
            }
        }
        let away = lone.partitions
        guard writers.count < own.count else { return }
        let open = Set(writers.map(\.partition)).union(away)
        for partition in own where !open.contains(partition) {
            do {
                let writer = try await PartitionWriter.open(
                    partition: partition,
                    in: .live,
                    on: session.connection
                )
                checkpoints.set(partition, to: writer.position, in: session.generation)
                writers.append(writer)
            } catch {
                try PartitionFault.refuseGeneral(error)
                lone.take(.init(partition: partition, end: 0, error: error))
            }
        }
    }

    /// What a partition brings.
    private struct News {
        let partition: Int
        let events: [RecordedEvent]
    }

    /// The next events of all partitions that have any, each its share, and how many are left.
    ///
    /// - Throws: `EpochEnded` where the session is of an epoch that is over.
    private func news(
        of writers: inout [PartitionWriter],
        in session: ProjectorSession,
        sendingTo lone: LonePartitions
    ) async throws -> (news: [News], left: Int64) {
        let behind = writers.filter { feed.head(of: $0.partition) > $0.position }
        guard feed.epoch.generation == session.generation else { throw EpochEnded() }
        guard !behind.isEmpty else { return ([], 0) }
        let limit = max(Self.leastEvents, Self.batchEvents / behind.count)
        var news: [News] = []
        var left: Int64 = 0
        for writer in behind {
            let partition = writer.partition
            do {
                let events = try await next(of: writer, limit: limit, in: session.generation)
                let rest = max(0, feed.head(of: partition) - writer.position - Int64(events.count))
                writer.lag.record(rest)
                left += rest
                if !events.isEmpty { news.append(News(partition: partition, events: events)) }
            } catch {
                try PartitionFault.refuseGeneral(error)
                writers.removeAll { $0.partition == partition }
                lone.take(.init(partition: partition, end: writer.position + Int64(limit), error: error))
            }
        }
        return (news, left)
    }

    /// The next events, up to one of a newer program.
    ///
    /// - Throws: ``LongWork`` where what they ask for may take a while.
    private func next(of writer: PartitionWriter, limit: Int, in generation: Int) async throws -> [RecordedEvent] {
        let events = try await feed.events(
            partition: writer.partition,
            after: writer.position,
            limit: limit,
            in: generation
        )
        if let first = events.first, let event = first.unknown {
            throw ProjectionError.newerEvent(partition: first.partition, position: first.position, event)
        }
        if events.contains(where: Self.mayTakeLong) { throw LongWork() }
        return Array(events.prefix { $0.unknown == nil })
    }

    private static func mayTakeLong(_ event: RecordedEvent) -> Bool {
        // Asked of every event: few pass the first question, which costs little.
        guard case .event(let body) = event.body, body.retractsContent else { return false }
        return ProjectedEvent(event).flatMap(TextErasure.init) != nil
    }

    private func take(
        _ news: [News],
        of writers: inout [PartitionWriter],
        in session: ProjectorSession,
        sendingTo lone: LonePartitions
    ) async throws {
        let places = Dictionary(writers.enumerated().map { ($1.partition, $0) }) { first, _ in first }
        let turns = news.compactMap { news in
            places[news.partition].map { PartitionWriter.Turn(place: $0, events: news.events) }
        }
        var isDone = false
        do {
            isDone = try await PartitionWriter.writeTogether(turns, of: &writers, on: session.connection)
        } catch is Checkpoint.Overtaken {
            ProjectionMetrics.overtaken.increment()
            let partitions = Set(news.map(\.partition))
            return writers.removeAll { partitions.contains($0.partition) }
        } catch {
            // Some partition's fault, and which one's, shows when each is written by itself.
            try PartitionFault.refuseGeneral(error)
        }
        if !isDone { try await takeApart(turns, of: &writers, in: session, sendingTo: lone) }
        for news in news {
            guard let writer = writers.first(where: { $0.partition == news.partition }) else { continue }
            checkpoints.set(news.partition, to: writer.position, in: session.generation)
        }
    }

    private func takeApart(
        _ turns: [PartitionWriter.Turn],
        of writers: inout [PartitionWriter],
        in session: ProjectorSession,
        sendingTo lone: LonePartitions
    ) async throws {
        var gone: Set<Int> = []
        for turn in turns {
            let writer = writers[turn.place]
            do {
                try await writers[turn.place].write(turn.events, on: session.connection)
            } catch is Checkpoint.Overtaken {
                ProjectionMetrics.overtaken.increment()
                gone.insert(writer.partition)
            } catch {
                try PartitionFault.refuseGeneral(error)
                gone.insert(writer.partition)
                let end = writer.position + Int64(turn.events.count)
                lone.take(.init(partition: writer.partition, end: end, error: error))
            }
        }
        writers.removeAll { gone.contains($0.partition) }
    }

    /// Lets events gather while nobody waits for them: a transaction for many costs little more than one for a few.
    private func rest(after duration: Duration) async {
        await checkpoints.rest(min(duration * Self.restFactor, Self.longestRest))
    }

    /// From 50 ms to 5 s, with some randomness, so that processes do not come back in step.
    func pause(_ failures: Int) async {
        let longest = min(5_000, 50 << min(max(0, failures - 1), 10))
        let milliseconds = Int.random(in: longest / 2...longest)
        // Ends early only by cancellation, which the loop looks at.
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }
}
