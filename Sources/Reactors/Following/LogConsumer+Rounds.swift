import CoreMetrics
import EventSourcing
import EventStore
import Logging
import Postgres
import ReadModels

extension LogConsumer {
    /// What another process has is looked at again after this.
    private static let othersTurn = Duration.milliseconds(250)

    /// What a partition brings: events that may concern the reactor, past those that do not.
    private struct News {
        let partition: Int
        let events: [RecordedEvent]
        let last: Int64
    }

    /// Takes the next events of all partitions.
    ///
    /// - Returns: whether there may be more.
    func round(_ places: inout [ConsumerPlace], in generation: Int) async throws -> Bool {
        var together: [News] = []
        var isMore = false
        for index in places.indices where places[index].retryAt <= .now {
            guard let news = try await news(of: &places[index], in: generation) else { continue }
            isMore = true
            guard !news.events.isEmpty else { continue }
            if places[index].isAlone {
                try await take([news], &places)
            } else {
                together.append(news)
            }
        }
        if !together.isEmpty { try await take(together, &places) }
        return isMore
    }

    /// The next events of a partition, or nil where there are none; what comes before the first that concerns the reactor is
    /// passed at once.
    private func news(of place: inout ConsumerPlace, in generation: Int) async throws -> News? {
        let head = store.feed.head(of: place.partition)
        let end = min(head, readModels?.position(of: place.partition) ?? head)
        guard end > place.seen else { return nil }
        let limit = Int(clamping: min(Int64(place.limit), end - place.seen))
        let page: [RecordedEvent]
        do {
            page = try await store.feed.events(
                partition: place.partition,
                after: place.seen,
                limit: limit,
                in: generation
            )
        } catch let error as LogError {
            // The log is damaged there; other partitions are not.
            noteFailure(error, of: &place)
            return nil
        }
        let events = page.prefix { $0.unknown == nil }
        noteUnknown(events.count < page.count, at: &place)
        guard let last = events.last?.position else { return nil }
        let concerning = events.filter { event in
            if case .event = event.body { reactor.concerns(event) } else { false }
        }
        if concerning.isEmpty {
            place.seen = last
            place.succeeded()
        }
        return News(partition: place.partition, events: concerning, last: last)
    }

    private func noteUnknown(_ isUnknown: Bool, at place: inout ConsumerPlace) {
        if isUnknown, !place.isBeforeUnknown {
            logger.warning(
                "a reactor waits in front of an event of a newer program",
                metadata: ["reactor": "\(reactor.name)", "partition": "\(place.partition)"]
            )
        }
        place.isBeforeUnknown = isUnknown
    }

    // MARK: Taking

    private func take(_ news: [News], _ places: inout [ConsumerPlace]) async throws {
        let taken: [Int: Taken]
        do {
            taken = try await write(news, places)
        } catch  where Self.isOfEvents(error) {
            for news in news { try await fail(news, error, &places) }
            return
        }
        reactor.hasWritten()
        for news in news {
            switch taken[news.partition] {
            case .moved:
                places[news.partition].found(news.last)
                places[news.partition].succeeded()
            case .elsewhere(let position): places[news.partition].found(position)
            case nil: places[news.partition].retryAt = .now + Self.othersTurn
            }
        }
    }

    private enum Taken {
        case moved
        /// Another process has come further, or somebody has set it back.
        case elsewhere(Int64)
    }

    /// Writes what follows from events, and moves past them, in one transaction.
    ///
    /// Lost together where the database crashes, and done again: so nobody waits for the disk.
    private func write(_ news: [News], _ places: [ConsumerPlace]) async throws -> [Int: Taken] {
        let take = ConsumerPositions.take(news.map(\.partition), of: reactor.name)
        return try await store.pool.withConnection { connection in
            try await connection.withTransaction(
                beginningWith: [.withoutWaiting, take]
            ) { connection, begun in
                var taken: [Int: Taken] = [:]
                var moves: [ConsumerPositions.Move] = []
                var events: [RecordedEvent] = []
                let positions = try self.positions(begun.last)
                for news in news {
                    guard let position = positions[news.partition] else { continue }
                    let place = places[news.partition]
                    guard position >= place.stored, position <= place.seen else {
                        taken[news.partition] = .elsewhere(position)
                        continue
                    }
                    taken[news.partition] = .moved
                    moves.append(.init(partition: news.partition, from: position, to: news.last))
                    events += news.events
                }
                guard !moves.isEmpty else { return ([], taken) }
                let statements = try await self.reactor.statements(for: events, on: connection)
                return (statements + [ConsumerPositions.move(moves, of: self.reactor.name)], taken)
            }.result
        }
    }

    private func positions(_ rows: Rows?) throws -> [Int: Int64] {
        var positions: [Int: Int64] = [:]
        guard let rows else { return positions }
        for row in rows { positions[try row.decode("partition")] = try row.decode("position", as: Int64.self) }
        return positions
    }

    // MARK: Failing

    /// Whether the events may be to blame, and not the database as a whole.
    static func isOfEvents(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is PostgresConnectionError, is EpochEnded: false
        case let error as PostgresError:
            !["08", "42", "53", "57P"].contains { error.sqlState.isClass($0) } && error.sqlState != .readOnlyTransaction
        default: true
        }
    }

    private func fail(_ news: News, _ error: any Error, _ places: inout [ConsumerPlace]) async throws {
        let place = places[news.partition]
        guard place.limit == 1, place.failures >= Self.tries(after: error), let event = news.events.first else {
            return noteFailure(error, of: &places[news.partition])
        }
        ReactorMetrics.skippedEvents(reactor.name).increment()
        var metadata = metadata(of: error)
        metadata["partition"] = "\(event.partition)"
        metadata["position"] = "\(event.position)"
        logger.error("a reactor passes an event that it cannot take", metadata: metadata)
        places[news.partition].seen = news.last
        places[news.partition].succeeded()
    }

    /// Tries of one event: few where it is the event's own fault, else with pauses that add up to some two minutes.
    static func tries(after error: any Error) -> Int {
        guard let error = error as? PostgresError else { return 8 }
        return error.sqlState.isClass("22") || error.sqlState.isClass("23") ? 2 : 8
    }

    private func noteFailure(_ error: any Error, of place: inout ConsumerPlace) {
        if place.failures == 0 { logger.warning("a reactor does not go on", metadata: metadata(of: error)) }
        ReactorMetrics.failures(reactor.name).increment()
        place.failed()
    }
}
