import CoreMetrics
import EventSourcing
import Postgres

extension Lane {
    /// Decides commands on what memory holds, and appends what follows while the log is asked about what is in doubt.
    ///
    /// - Returns: those that need another round.
    func openRound(
        _ commands: [PendingCommand],
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws -> [PendingCommand] {
        let reading = try await recall(commands, &memory, connection)
        let (round, refused) = try await decide(commands, on: reading.current, isFresh: false)
        let doubts = round.doubts
        async let doubtsAnswer = AggregateReader.ask(doubts, on: connection)
        let outcomes = try await LogWriter.append(round.events, after: &memory.heads, on: connection)
        var resolution = round.resolve(outcomes, try await doubtsAnswer)
        resolution.add(refused)
        return end(commands, reading, resolution, isGuarded: false, &memory)
    }

    /// Decides commands while nobody else can append to their partitions: on all that the log has, so that every round
    /// brings its commands to an end, whoever else writes there.
    ///
    /// - Returns: those that need another round.
    func guardedRound(
        _ commands: [PendingCommand],
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws -> [PendingCommand] {
        EventStoreMetrics.guardedRounds.increment()
        let (reading, resolution) = try await connection.withTransaction { connection in
            try await LogWriter.lock(Set(commands.map(\.partition)), on: connection)
            let replays = try await AggregateReader.replays(of: commands, on: connection)
            let reading = try await recall(commands, refreshing: true, &memory, connection)
            let (replayed, new) = replays.split(commands)
            let (round, refused) = try await decide(new, on: reading.current, isFresh: true)
            let outcomes = try await LogWriter.lookUpAndAppend(round.events, on: connection)
            var resolution = round.resolve(outcomes, DoubtsAnswer())
            resolution.add(replayed, of: reading.current)
            resolution.add(refused)
            return (reading, resolution)
        }
        return end(commands, reading, resolution, isGuarded: true, &memory)
    }

    /// Decides commands. Those whose events need a log format that not every living process reads are refused.
    private func decide(
        _ commands: [PendingCommand],
        on aggregates: [AggregateKey: any AnyAggregate],
        isFresh: Bool
    ) async throws -> (
        round: Round, refused: [(command: PendingCommand, aggregate: any AnyAggregate, error: any Error)]
    ) {
        let round = Round(commands, on: aggregates, isFresh: isFresh)
        guard let format = round.format, !formats.isOpen(for: format) else { return (round, []) }
        // Where nobody can be asked it is not open: what needs no new format must not wait for that.
        if (try? await formats.open(for: format)) == true { return (round, []) }
        let refused = round.commands { !formats.isOpen(for: $0) }
        let without = Set(refused.map { ObjectIdentifier($0.command) })
        return (
            Round(
                commands.filter { !without.contains(ObjectIdentifier($0)) },
                on: aggregates,
                isFresh: isFresh
            ), refused.map { ($0.command, $0.aggregate, CommandError.formatNotOpen(format)) }
        )
    }

    /// The commands' aggregates, from memory where they are there.
    ///
    /// - Parameter refreshing: whether those in memory are read on, too.
    private func recall(
        _ commands: [PendingCommand],
        refreshing: Bool = false,
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws -> AggregateReader.Reading {
        var known: [AggregateKey: any AnyAggregate] = [:]
        var new: [AggregateKey: any AnyAggregate] = [:]
        for command in commands where known[command.aggregate] == nil && new[command.aggregate] == nil {
            if let aggregate = memory.aggregate(command.aggregate) {
                known[command.aggregate] = aggregate
            } else {
                new[command.aggregate] = command.makeAggregate()
            }
        }
        try await AggregateReader.restore(new, on: connection)
        let unread = refreshing ? new.merging(known) { new, _ in new } : new
        // Where folding is cut short, what is in memory is half of something.
        for key in unread.keys { memory.remove(key) }
        var reading = try await AggregateReader.catchUp(unread, catalog: log.catalog, on: connection)
        for (key, aggregate) in reading.current { memory.insert(aggregate, for: key) }
        if !refreshing { reading.current.merge(known) { read, _ in read } }
        return reading
    }

    // MARK: Answering

    /// Answers what can be answered, passes on what is in the log now, and remembers what was learned.
    ///
    /// - Returns: the commands that need another round.
    private func end(
        _ commands: [PendingCommand],
        _ reading: AggregateReader.Reading,
        _ resolution: Resolution,
        isGuarded: Bool,
        _ memory: inout LaneMemory
    ) -> [PendingCommand] {
        memory.learn(resolution, isGuarded: isGuarded)
        feed.publish(resolution.recorded, in: memory.generation)
        for (_, aggregate, _, _) in resolution.current {
            if let snapshot = aggregate.snapshotIfDue() { snapshots.put(snapshot, of: memory.generation) }
        }
        var again: [PendingCommand] = []
        for (command, aggregate, verdict) in resolution.commands {
            if let answer = verdict.answer(to: command, of: aggregate, catalog: log.catalog) {
                command.finish(answer)
            } else {
                if case .again(mayHaveHappened: true) = verdict { command.noteUnknownOutcome() }
                again.append(command)
            }
        }
        for command in commands {
            if let error = reading.failed[command.aggregate] { command.finish(.failure(error)) }
        }
        for key in reading.long { load(key, for: commands.filter { $0.aggregate == key }) }
        return again
    }

    /// Has an aggregate loaded beside the lane; its commands wait for that.
    private func load(_ key: AggregateKey, for commands: [PendingCommand]) {
        guard let first = commands.first else { return }
        for refused in queue.hold(commands, for: key) { refused.endUndone(.loading) }
        coldLoads.begin(for: first)
    }
}
