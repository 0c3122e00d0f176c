import CoreMetrics
package import EventStore
package import Logging
import Postgres
package import ReadModels
import ServiceLifecycle

/// Follows the log for one reactor, with positions of its own: everything that it writes about an event is written once, in one
/// transaction with the position that passes the event.
///
/// It holds nobody up: it reads what the feed has in memory, and writes only where something concerns the reactor. Other
/// positions move together, once a second. Several processes share the work: whoever comes first has a partition for a
/// transaction, the others leave it alone meanwhile.
///
/// It stops in front of an event of a newer program. An event that its reactor cannot be brought to take is passed in the
/// end, which a metric counts; an event that nobody can read is passed, too.
package final class LogConsumer: Service {
    /// Where it stands who never followed before. Later the table decides.
    package enum Start: Sendable {
        /// At the log's ends: what happened before is nobody's business.
        case heads
        /// Past these positions of the partitions, in order.
        case positions([Int64])
    }

    /// What others have, and what does not move, is looked at so often.
    private static let tick = Duration.seconds(1)
    /// What comes close together goes together.
    private static let pace = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(10)

    let reactor: any Reactor
    let store: EventStore
    /// How far the read models are that the reactor reads; nil where it reads none.
    let readModels: Checkpoints?
    let logger: Logger
    private let start: Start

    /// - Parameter readModels: where given, the consumer goes no further than they are.
    package init(
        _ reactor: any Reactor,
        of store: EventStore,
        behind readModels: Checkpoints? = nil,
        from start: Start = .heads,
        logger: Logger
    ) {
        ReactorMetrics.begin(reactor.name)
        self.reactor = reactor
        self.store = store
        self.readModels = readModels
        self.start = start
        self.logger = logger
    }

    /// Follows until cancelled or shut down gracefully; a transaction under way is rolled back then, and done again later.
    package func run() async {
        await cancelWhenGracefulShutdown { await self.follow() }
    }

    private func follow() async {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            store.feed.signalChanges(by: wake)
            if let projected = readModels?.changes() { group.addTask { for await _ in projected { wake.yield() } } }
            group.addTask {
                while !Task.isCancelled {
                    wake.yield()
                    try? await Task.sleep(for: Self.tick)
                }
            }
            await consume(wakes)
            group.cancelAll()
        }
    }

    private func consume(_ wakes: AsyncStream<Void>) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await consumeInOneEpoch(wakes) { failures = 0 }
            } catch is EpochEnded {
                continue
            } catch {
                guard !Task.isCancelled else { return }
                failures += 1
                ReactorMetrics.failures(reactor.name).increment()
                // Once per outage: the database's own troubles are logged where they arise.
                if failures == 1 { logger.warning("a reactor does not go on", metadata: metadata(of: error)) }
                try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100) * (1 << min(failures, 10))))
            }
        }
    }

    /// Follows as long as what is remembered of the log is true.
    private func consumeInOneEpoch(_ wakes: AsyncStream<Void>, succeeded: () -> Void) async throws {
        let generation = store.epoch.generation
        let start: [Int64]? = if case .positions(let positions) = start { positions } else { nil }
        let positions = try await store.pool.withConnection { [name = reactor.name] connection in
            try await ConsumerPositions.open(name, at: start, on: connection)
        }
        // Else a restored table lacks some: they are made anew with the next look.
        guard positions.count == store.identity.partitions else { throw EpochEnded() }
        var places = positions.enumerated().map { ConsumerPlace(partition: $0.offset, position: $0.element) }
        var storedAt = ContinuousClock.now
        note(places)
        for await _ in wakes {
            while !Task.isCancelled, try await round(&places, in: generation) {}
            succeeded()
            if storedAt.duration(to: .now) >= Self.tick {
                try await store(&places)
                storedAt = .now
                note(places)
            }
            // Ends early only by cancellation, which ends the signals, too.
            try? await Task.sleep(for: Self.pace)
        }
        try Task.checkCancellation()
    }

    /// Writes how far was looked where nothing was to be done.
    private func store(_ places: inout [ConsumerPlace]) async throws {
        let moves = places.filter { $0.seen > $0.stored }.map {
            ConsumerPositions.Move(partition: $0.partition, from: $0.stored, to: $0.seen)
        }
        guard !moves.isEmpty else { return }
        let results = try await store.pool.batch([
            .withoutWaiting,
            ConsumerPositions.move(moves, of: reactor.name),
            "SELECT c.position FROM parley.consumers c WHERE c.name = \(reactor.name) ORDER BY c.partition",
        ])
        guard let positions = results.last, positions.count == places.count else { return }
        for (index, row) in positions.enumerated() { places[index].found(try row.decode(0)) }
    }

    private func note(_ places: [ConsumerPlace]) {
        let heads = store.feed.heads
        let lag = places.reduce(Int64(0)) { lag, place in
            heads.indices.contains(place.partition) ? lag + max(0, heads[place.partition] - place.seen) : lag
        }
        ReactorMetrics.lag(reactor.name).record(lag)
        ReactorMetrics.stopped(reactor.name).record(places.count { $0.isBeforeUnknown })
    }

    /// Never an error's words, which may quote what people wrote.
    func metadata(of error: any Error) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "reactor": "\(reactor.name)", "error": "\(String(reflecting: type(of: error)))",
        ]
        if let error = error as? PostgresError { metadata["sqlState"] = "\(error.sqlState)" }
        return metadata
    }
}
