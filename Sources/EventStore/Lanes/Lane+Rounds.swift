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
        let (round, refused) = try await decide(commands, on: reading.current, knowing: .remembered(memory.heads))
        let doubts = round.doubts
        async let doubtsAnswer = AggregateReader.ask(doubts, on: connection)
        let appended = try await LogWriter.append(round.events, after: &memory.heads, on: connection)
        var resolution = round.resolve(appended, try await doubtsAnswer)
        resolution.add(refused)
        return end(commands, reading, resolution, isGuarded: false, &memory)
    }

    /// Decides commands while nobody else can append to their partitions: on all that the log has, so that every round
    /// brings its commands to an end, whoever else writes there.
    ///
    /// Others wait meanwhile, so it takes two round trips: one locks and reads, the other appends and commits. What has come
    /// for the same aggregates while the round waited for its locks joins it: otherwise whoever came first after the round
    /// before would go alone, and all others wait for two processes' turns.
    ///
    /// - Parameters:
    ///   - commands: of ``AggregateReader/aggregatesAtOnce`` aggregates at most. Those that join are added, whatever
    ///     becomes of the round.
    ///   - isJoined: whether others may join.
    /// - Returns: those that need another round.
    func guardedRound(
        _ commands: inout [PendingCommand],
        isJoined: Bool,
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws -> [PendingCommand] {
        EventStoreMetrics.guardedRounds.increment()
        let (known, new) = memory.recall(commands)
        // Where folding is cut short, what is in memory is half of something.
        for key in known.keys { memory.remove(key) }
        let opening = AggregateReader.replays(of: commands).and(AggregateReader.tails(of: Array(known.values)))
        let lock = LogWriter.lock(Set(commands.map(\.partition)))
        let (rows, work) = try await connection.withTransaction(
            beginningWith: [lock] + opening.statements
        ) { connection, rows in
            let (replays, tails) = try opening.answer(Array(rows.dropFirst()))
            var reading = AggregateReader.Reading()
            AggregateReader.fold(tails, into: known, catalog: log.catalog, reading: &reading)
            try await AggregateReader.restore(new, on: connection)
            try await AggregateReader.catchUp(new, catalog: log.catalog, on: connection, into: &reading)
            let (replayed, unseen) = replays.split(commands)
            let joining = isJoined ? takeJoining(commands, on: reading.current, memory.generation) : []
            commands += joining
            let (round, refused) = try await decide(unseen + joining, on: reading.current, knowing: .all)
            let append = LogWriter.lookUpAndAppend(round.events)
            let work = GuardedWork(
                reading: reading,
                replayed: replayed,
                joining: joining,
                round: round,
                refused: refused,
                append: append
            )
            return (append.statements, work)
        }
        let unasked = work.joining.lazy.filter { !$0.isMergeable }.map { ObjectIdentifier($0) }
        let answer = DoubtsAnswer(unasked: Set(unasked))
        var resolution = work.round.resolve(.init(outcomes: try work.append.answer(rows)), answer)
        resolution.add(work.replayed, of: work.reading.current)
        resolution.add(work.refused)
        for (key, aggregate) in work.reading.current { memory.insert(aggregate, for: key) }
        return end(commands, work.reading, resolution, isGuarded: true, &memory)
    }

    /// What a guarded round has made between its two round trips.
    private struct GuardedWork {
        let reading: AggregateReader.Reading
        let replayed: [(command: PendingCommand, first: StoredEvent)]
        /// Of which the log was not asked whether it has them already.
        let joining: [PendingCommand]
        let round: Round
        let refused: [Refused]
        let append: LogQuery<[AppendOutcome]>
    }

    /// What has come meanwhile for the aggregates of a round, as much as one batch still takes. What the log may have already
    /// waits for a round that asks.
    private func takeJoining(
        _ commands: [PendingCommand],
        on aggregates: [AggregateKey: any AnyAggregate],
        _ generation: Int
    ) -> [PendingCommand] {
        let now = ContinuousClock.now
        return queue.take(
            where: { command in
                aggregates[command.aggregate] != nil && !command.mayHaveHappened && command.generation == generation
                    && command.deadline > now
            },
            limit: max(0, Self.batchLimit - commands.count)
        )
    }

    private typealias Refused = (command: PendingCommand, aggregate: any AnyAggregate, error: any Error)

    /// Decides commands. Those whose events need a log format that not every living process reads are refused.
    private func decide(
        _ commands: [PendingCommand],
        on aggregates: [AggregateKey: any AnyAggregate],
        knowing knowledge: Round.Knowledge
    ) async throws -> (round: Round, refused: [Refused]) {
        let round = Round(commands, on: aggregates, knowing: knowledge)
        guard let format = round.format, !formats.isOpen(for: format) else { return (round, []) }
        // Where nobody can be asked it is not open: what needs no new format must not wait for that.
        if (try? await formats.open(for: format)) == true { return (round, []) }
        let refused = round.commands { !formats.isOpen(for: $0) }
        let without = Set(refused.map { ObjectIdentifier($0.command) })
        return (
            Round(
                commands.filter { !without.contains(ObjectIdentifier($0)) },
                on: aggregates,
                knowing: knowledge
            ), refused.map { ($0.command, $0.aggregate, CommandError.formatNotOpen(format)) }
        )
    }

    /// The commands' aggregates, from memory where they are there.
    private func recall(
        _ commands: [PendingCommand],
        _ memory: inout LaneMemory,
        _ connection: PostgresConnection
    ) async throws -> AggregateReader.Reading {
        let (known, new) = memory.recall(commands)
        var reading = AggregateReader.Reading()
        try await AggregateReader.restore(new, on: connection)
        try await AggregateReader.catchUp(new, catalog: log.catalog, on: connection, into: &reading)
        for (key, aggregate) in reading.current {
            aggregate.streak = memory.heads.streak(of: aggregate.partition)
            memory.insert(aggregate, for: key)
        }
        reading.current.merge(known) { read, _ in read }
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
        for current in resolution.current {
            if let snapshot = current.aggregate.snapshotIfDue() { snapshots.put(snapshot, of: memory.generation) }
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
