import EventSourcing
import Foundation
import Postgres

/// What a lane keeps between batches, and how it makes one: load, decide, append and check, answer.
///
/// Confined to its lane's task.
final class LaneWorker {
    private let log: LogReader
    private let feed: Feed
    private let snapshots: SnapshotWriter
    private var entities = TwoGenerationCache<EntityKey, any LaneEntity>(capacity: 400_000)
    private var heads = KnownHeads()
    /// That of the connection; all that is kept is of it.
    private(set) var generation = 0
    /// Commands that may be in the log already: looked up before they are decided again.
    private var doubtful: Set<ObjectIdentifier> = []

    init(log: LogReader, feed: Feed, snapshots: SnapshotWriter) {
        self.log = log
        self.feed = feed
        self.snapshots = snapshots
    }

    /// Takes commands one round further and returns those that need another one.
    func process(_ commands: [any LaneCommand], on connection: PostgresConnection) async throws -> [any LaneCommand] {
        let (commands, outdated) = commands.split { $0.generation == generation }
        for command in outdated { command.finish(.failure(EpochEnded())) }
        let loaded = try await load(commands, on: connection)
        let undecided = try await answerReplays(commands.filter { loaded[$0.entity] != nil }, loaded, on: connection)
        var round = LaneRound(commands: undecided, entities: loaded)
        let checks = round.checks
        async let confirmation = Self.confirm(checks, on: connection)
        let outcomes =
            round.items.isEmpty ? [] : try await LogWriter.append(round.items, after: &heads, on: connection)
        let confirmed = try await confirmation
        round.settle(outcomes: outcomes, confirmation: confirmed)
        feed.publish(round.recorded, in: generation)
        finish(&round, confirmation: confirmed)
        return round.again
    }

    /// Drops all that is in memory where it is of another epoch than the connection that follows.
    func begin(_ generation: Int) {
        guard generation != self.generation else { return }
        self.generation = generation
        entities = TwoGenerationCache(capacity: 400_000)
        heads.forget()
    }

    /// Drops what is in memory of these commands' entities, and takes the commands for doubtful.
    func forget(_ commands: [any LaneCommand]) {
        heads.forget()
        for command in commands {
            entities.remove(command.entity)
            doubtful.insert(ObjectIdentifier(command))
        }
    }

    // MARK: Loading

    private func load(
        _ commands: [any LaneCommand],
        on connection: PostgresConnection
    ) async throws -> [EntityKey: any LaneEntity] {
        var loaded: [EntityKey: any LaneEntity] = [:]
        var missing: [EntityKey: any LaneEntity] = [:]
        for command in commands where loaded[command.entity] == nil && missing[command.entity] == nil {
            if let entity = entities.value(for: command.entity) {
                loaded[command.entity] = entity
            } else {
                missing[command.entity] = command.makeEntity()
            }
        }
        guard !missing.isEmpty else { return loaded }
        for snapshot in try await LogWriter.snapshots(of: Array(missing.keys), on: connection) {
            missing[snapshot.key]?.restore(snapshot)
        }
        let tails = try await LogWriter.tails(of: Array(missing.values), on: connection)
        let byID = Dictionary(grouping: tails, by: \.stream.id)
        for (key, entity) in missing {
            do {
                try entity.fold(byID[key.id] ?? [], catalog: log.catalog)
                entities.insert(entity, for: key, weight: entity.weight)
                loaded[key] = entity
            } catch {
                // One history that cannot be read fails its own commands only.
                for command in commands where command.entity == key { command.finish(.failure(error)) }
            }
        }
        return loaded
    }

    // MARK: Replays

    /// Answers the doubtful commands that the log has, and returns the others.
    private func answerReplays(
        _ commands: [any LaneCommand],
        _ loaded: [EntityKey: any LaneEntity],
        on connection: PostgresConnection
    ) async throws -> [any LaneCommand] {
        guard !doubtful.isEmpty else { return commands }
        let asked = commands.filter { doubtful.contains(ObjectIdentifier($0)) }
        doubtful = []
        guard !asked.isEmpty else { return commands }
        let rows = try await connection.query(LogWriter.check(entities: [], commands: asked)[1])
        let found = try Replays(rows.map(StoredEvent.init))
        return commands.filter { command in
            guard let stored = found[command], let entity = loaded[command.entity] else { return true }
            answer(command, with: stored, entity: entity)
            return false
        }
    }

    private func answer(_ command: any LaneCommand, with stored: StoredEvent, entity: any LaneEntity) {
        guard stored.actor == command.context.actor, stored.contentHMAC == command.contentHMAC else {
            command.finish(.failure(CommandError.idConflict))
            return
        }
        entity.observe(for: command)
        let event = stored.recorded(catalog: log.catalog, key: stored.keyID == command.key?.id ? command.key : nil)
        command.finish(
            .success(LaneOutcome(events: [event], isReplay: true, position: max(entity.position, stored.position)))
        )
    }

    // MARK: Confirmation

    private static func confirm(_ checks: [SQL], on connection: PostgresConnection) async throws -> Confirmation? {
        guard !checks.isEmpty else { return nil }
        let answers = try await connection.batch(checks)
        guard answers.count == 2 else { throw AppendAnswerError() }
        return Confirmation(
            heads: try answers[0].map { try $0.decode(0) },
            replays: try Replays(answers[1].map(StoredEvent.init))
        )
    }

    // MARK: Answering

    private func finish(_ round: inout LaneRound, confirmation: Confirmation?) {
        for (key, entity) in round.settled {
            if let snapshot = entity.snapshotIfDue() { snapshots.put(snapshot, of: generation) }
            entities.insert(entity, for: key, weight: entity.weight)
        }
        for key in round.stale { entities.remove(key) }
        for command in round.again { doubtful.insert(ObjectIdentifier(command)) }
        for unconfirmed in round.confirmed {
            guard let entity = round.entities[unconfirmed.command.entity] else { continue }
            if let stored = confirmation?.replays[unconfirmed.command] {
                answer(unconfirmed.command, with: stored, entity: entity)
            } else if let rejection = unconfirmed.rejection {
                unconfirmed.command.finish(.failure(rejection))
            } else {
                unconfirmed.command.finish(
                    .success(LaneOutcome(events: [], isReplay: true, position: entity.position))
                )
            }
        }
    }
}

/// What the log said about the versions and commands in doubt.
struct Confirmation: Sendable {
    /// The heads of all streams of the checked entities, in the order they were asked for.
    let heads: [Int64]
    let replays: Replays
}

/// First events of commands that the log has, by entity and command.
struct Replays: Sendable {
    private struct Key: Hashable {
        let entity: UUID
        let command: UUID
    }

    private let events: [Key: StoredEvent]

    init(_ stored: [StoredEvent]) {
        events = Dictionary(stored.map { (Key(entity: $0.stream.id, command: $0.commandID), $0) }) { first, _ in first }
    }

    subscript(_ command: any LaneCommand) -> StoredEvent? {
        events[Key(entity: command.entity.id, command: command.context.commandID)]
    }
}
