import CoreMetrics
import EventSourcing
import Foundation
import Postgres

/// The statements of a lane: the append, and what it loads and checks before.
struct LogWriter {
    /// What the log made of one event of an append.
    enum Outcome: Equatable {
        case appended(position: Int64, version: Int64)
        case conflict
        case duplicate
    }

    /// A class, because a statement is made column by column, and each of them would copy all that an event holds.
    final class Item {
        let entity: any LaneEntity
        let proposed: ProposedEvent

        init(entity: any LaneEntity, proposed: ProposedEvent) {
            self.entity = entity
            self.proposed = proposed
        }
    }

    /// Appends in one transaction; answers one outcome per item, in order.
    ///
    /// Where the heads are known the events are put right behind them; where they are not, or somebody was faster, the log
    /// finds the places.
    static func append(
        _ items: [Item],
        after heads: inout KnownHeads,
        on connection: PostgresConnection
    ) async throws -> [Outcome] {
        let outcomes: [Outcome]
        if let placed = place(items, after: &heads, on: connection),
            try await insert(items, at: placed, doubting: &heads, on: connection)
        {
            outcomes = placed.map { .appended(position: $0.position, version: $0.version) }
        } else {
            outcomes = try await append(items, on: connection)
        }
        for (item, outcome) in zip(items, outcomes) {
            if case .appended(let position, _) = outcome { heads.learn(position, in: item.entity.partition) }
        }
        return outcomes
    }

    private struct Place {
        let position: Int64
        let version: Int64
    }

    private static func place(
        _ items: [Item],
        after heads: inout KnownHeads,
        on connection: PostgresConnection
    ) -> [Place]? {
        guard let positions = heads.places(for: items.map(\.entity.partition), on: connection) else { return nil }
        var added: [StreamID: Int64] = [:]
        return zip(items, positions).map { item, position in
            let count = added[item.proposed.stream, default: 0] + 1
            added[item.proposed.stream] = count
            return Place(position: position, version: item.entity.versions[item.proposed.streamIndex] + count)
        }
    }

    /// Returns false where a place was taken or the log has a command already: then nothing took effect.
    private static func insert(
        _ items: [Item],
        at places: [Place],
        doubting heads: inout KnownHeads,
        on connection: PostgresConnection
    ) async throws -> Bool {
        do {
            try await connection.execute(statement(items, at: places))
            EventStoreMetrics.placedAppends.increment()
            return true
        } catch let error as PostgresError where error.sqlState == .uniqueViolation {
            heads.distrust()
            return false
        }
    }

    private static func statement(_ items: [Item], at places: [Place]) -> SQL {
        let partitions = items.map { Int32(clamping: $0.entity.partition) }
        return """
            SELECT parley.append_at(
                \(Set(partitions).sorted()), \(partitions), \(places.map(\.position)),
                \(items.map(\.proposed.stream.id)), \(items.map(\.proposed.stream.category.rawValue)),
                \(places.map(\.version)), \(items.map(\.proposed.event.type)),
                \(items.map { Int16(clamping: $0.proposed.event.schemaVersion) }),
                \(items.map(\.proposed.commandID)), \(items.map { Int32(clamping: $0.proposed.ordinal) }),
                \(items.map(\.proposed.event.subject)), \(items.map(\.proposed.actor)),
                \(items.map(\.proposed.correlationID)),
                \(items.map(\.proposed.recordedAt)), \(items.map { JSONText($0.proposed.payload) }),
                \(items.map { $0.proposed.sealed.map { Bytes($0.bytes) } }), \(items.map { $0.proposed.sealed?.keyID }),
                \(items.map { $0.proposed.contentHMAC.map { Bytes($0) } }))
            """
    }

    private static func append(_ items: [Item], on connection: PostgresConnection) async throws -> [Outcome] {
        let rows = try await connection.query(statement(items))
        var outcomes: [Outcome?] = Array(repeating: nil, count: items.count)
        for row in rows {
            let place = try row.decode(0, as: Int.self) - 1
            guard outcomes.indices.contains(place) else { throw AppendAnswerError() }
            switch try row.decode(1, as: String.self) {
            case "appended": outcomes[place] = .appended(position: try row.decode(2), version: try row.decode(3))
            case "duplicate": outcomes[place] = .duplicate
            default: outcomes[place] = .conflict
            }
        }
        return try outcomes.map { outcome in
            guard let outcome else { throw AppendAnswerError() }
            return outcome
        }
    }

    private static func statement(_ items: [Item]) -> SQL {
        var partitions: Set<Int> = []
        var streams: Set<StreamID> = []
        let startsPartition = items.map { partitions.insert($0.entity.partition).inserted }
        let startsStream = items.map { streams.insert($0.proposed.stream).inserted }
        let expected = items.map { item -> Int64? in
            let index = item.proposed.streamIndex
            return item.entity.streams[index].isOrdered ? item.entity.versions[index] : nil
        }
        return """
            SELECT place, outcome, at_position, at_version
            FROM parley.append(
                \(items.map { Int32(clamping: $0.entity.partition) }), \(startsPartition),
                \(items.map(\.proposed.stream.id)), \(items.map(\.proposed.stream.category.rawValue)), \(startsStream),
                \(expected), \(items.map(\.proposed.event.type)),
                \(items.map { Int16(clamping: $0.proposed.event.schemaVersion) }),
                \(items.map(\.proposed.commandID)), \(items.map { Int32(clamping: $0.proposed.ordinal) }),
                \(items.map(\.proposed.event.subject)), \(items.map(\.proposed.actor)),
                \(items.map(\.proposed.correlationID)), \(items.map { _ in UUID?.none }),
                \(items.map(\.proposed.recordedAt)), \(items.map { JSONText($0.proposed.payload) }),
                \(items.map { $0.proposed.sealed.map { Bytes($0.bytes) } }), \(items.map { $0.proposed.sealed?.keyID }),
                \(items.map { $0.proposed.contentHMAC.map { Bytes($0) } }))
            """
    }

    /// The stored states of entities, of those that have one.
    static func snapshots(of keys: [EntityKey], on connection: PostgresConnection) async throws -> [StateSnapshot] {
        let rows = try await connection.query(
            """
            SELECT s.entity_id, s.decider, s.shape, s.versions, s.position, s.state
            FROM unnest(\(keys.map(\.id)), \(keys.map(\.decider))) AS w (entity_id, decider)
            JOIN parley.state_snapshots s USING (entity_id, decider)
            """
        )
        return try rows.map { row in
            StateSnapshot(
                key: EntityKey(decider: try row.decode(1), id: try row.decode(0)),
                shape: try row.decode(2),
                versions: try row.decode(3),
                position: try row.decode(4),
                state: try row.decode(5, as: Bytes.self).bytes
            )
        }
    }

    /// What the log holds past the entities' versions, in order of position inside each partition.
    static func tails(of entities: [any LaneEntity], on connection: PostgresConnection) async throws -> [StoredEvent] {
        let streams = entities.flatMap { entity in
            zip(entity.streams, entity.versions).map { (entity: entity, category: $0.category.rawValue, version: $1) }
        }
        let rows = try await connection.query(
            """
            SELECT \(StoredEvent.columns)
            FROM unnest(
                \(streams.map { Int32(clamping: $0.entity.partition) }), \(streams.map(\.entity.id)),
                \(streams.map(\.category)), \(streams.map(\.version))) AS w (partition, id, category, version)
            CROSS JOIN LATERAL (
                SELECT x.* FROM parley.events x
                WHERE x.partition = w.partition AND x.stream_id = w.id AND x.category = w.category
                    AND x.version > w.version
                ORDER BY x.version
            ) e
            ORDER BY e.partition, e.position
            """
        )
        return try rows.map(StoredEvent.init)
    }

    /// Reads whether entities have newer versions, and which commands the log has already.
    static func check(
        entities: [any LaneEntity],
        commands: [any LaneCommand]
    ) -> [SQL] {
        let streams = entities.flatMap { entity in
            entity.streams.map { (entity: entity, category: $0.category.rawValue) }
        }
        return [
            """
            SELECT coalesce((
                SELECT e.version FROM parley.events e
                WHERE e.partition = w.partition AND e.stream_id = w.id AND e.category = w.category
                ORDER BY e.version DESC LIMIT 1), 0)
            FROM unnest(
                \(streams.map { Int32(clamping: $0.entity.partition) }), \(streams.map(\.entity.id)),
                \(streams.map(\.category))) WITH ORDINALITY AS w (partition, id, category, n)
            ORDER BY w.n
            """,
            """
            SELECT \(StoredEvent.columns)
            FROM unnest(
                \(commands.map { Int32(clamping: $0.partition) }), \(commands.map(\.entity.id)),
                \(commands.map(\.context.commandID))) AS w (partition, id, command_id)
            CROSS JOIN LATERAL (
                SELECT x.* FROM parley.events x
                WHERE x.partition = w.partition AND x.command_id = w.command_id AND x.stream_id = w.id
                    AND x.ordinal = 0
            ) e
            """,
        ]
    }

    static func store(_ snapshot: StateSnapshot, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.state_snapshots (entity_id, decider, shape, versions, position, state)
            VALUES (
                \(snapshot.key.id), \(snapshot.key.decider), \(Int32(clamping: snapshot.shape)), \(snapshot.versions),
                \(snapshot.position), \(Bytes(snapshot.state)))
            ON CONFLICT (entity_id, decider) DO UPDATE
            SET shape = excluded.shape, versions = excluded.versions, position = excluded.position,
                state = excluded.state
            """
        )
    }
}

/// The append function answered something else than one row per event.
struct AppendAnswerError: Error {}
