import EventSourcing
import Foundation
import Postgres

/// What a lane reads: stored states, the events past them, and whether the log has something newer.
enum AggregateReader {
    /// The most events of one stream that are read while others wait: more than lie between two snapshots.
    private static let longestTail = 1_024
    /// The most streams that are read at once, so that their tails are bounded together, too.
    private static let streamsAtOnce = 64

    /// What became of aggregates that were read.
    struct Reading {
        /// They are all that the log has.
        var current: [AggregateKey: any AnyAggregate] = [:]
        /// There is too much to read while others wait.
        var long: [AggregateKey] = []
        /// Their events cannot be read.
        var failed: [AggregateKey: any Error] = [:]
    }

    /// Starts aggregates from their stored states.
    static func restore(
        _ aggregates: [AggregateKey: any AnyAggregate],
        on connection: PostgresConnection
    ) async throws {
        guard !aggregates.isEmpty else { return }
        for snapshot in try await connection.query(StateSnapshot.statement(for: Array(aggregates.keys))) {
            let snapshot = try StateSnapshot(snapshot)
            aggregates[snapshot.key]?.restore(snapshot)
        }
    }

    /// Folds what the log holds past the aggregates' versions, where that is not too long.
    static func catchUp(
        _ aggregates: [AggregateKey: any AnyAggregate],
        catalog: EventCatalog,
        on connection: PostgresConnection
    ) async throws -> Reading {
        var reading = Reading()
        var rest = Array(aggregates)[...]
        while !rest.isEmpty {
            var streams = 0
            let group = rest.prefix { _, aggregate in
                streams += aggregate.streams.count
                return streams <= streamsAtOnce
            }
            try await catchUp(group, catalog: catalog, on: connection, into: &reading)
            rest = rest.dropFirst(group.count)
        }
        return reading
    }

    private static func catchUp(
        _ aggregates: ArraySlice<(key: AggregateKey, value: any AnyAggregate)>,
        catalog: EventCatalog,
        on connection: PostgresConnection,
        into reading: inout Reading
    ) async throws {
        let limit = longestTail
        let rows = try await connection.query(tails(of: aggregates.map(\.value), limit: limit))
        let stored = Dictionary(grouping: try rows.map(StoredEvent.init), by: \.stream.id)
        for (key, aggregate) in aggregates {
            let events = stored[key.id] ?? []
            let isLong = aggregate.streams.contains { stream in
                events.count { $0.stream.category == stream.category } >= limit
            }
            guard !isLong else {
                reading.long.append(key)
                continue
            }
            do {
                try UnreadableHistory.unless { try aggregate.fold(events, catalog: catalog) }
                reading.current[key] = aggregate
            } catch let unreadable as UnreadableHistory {
                // One history that cannot be read fails its own commands only.
                reading.failed[key] = unreadable.commandError
            }
        }
    }

    /// The next events of one aggregate, in order, and whether they are the last.
    static func page(
        of aggregate: any AnyAggregate,
        limit: Int,
        on connection: PostgresConnection
    ) async throws -> (events: [StoredEvent], isAtEnd: Bool) {
        let events = try await connection.query(tails(of: [aggregate], limit: limit)).map(StoredEvent.init)
        // The streams are folded in one order of positions: not beyond the end of any that goes on.
        let ends = aggregate.streams.compactMap { stream -> Int64? in
            let positions = events.filter { $0.stream.category == stream.category }.map(\.position)
            return positions.count >= limit ? positions.last : nil
        }
        guard let horizon = ends.min() else { return (events, true) }
        return (events.filter { $0.position <= horizon }, false)
    }

    private static func tails(of aggregates: [any AnyAggregate], limit: Int) -> SQL {
        let streams = aggregates.flatMap { aggregate in
            zip(aggregate.streams, aggregate.versions).map { (aggregate, $0.category.rawValue, $1) }
        }
        return """
            SELECT \(StoredEvent.columns)
            FROM unnest(
                \(streams.map { Int32(clamping: $0.0.partition) }), \(streams.map(\.0.id)), \(streams.map(\.1)),
                \(streams.map(\.2))) AS w (partition, id, category, version)
            CROSS JOIN LATERAL (
                SELECT x.* FROM parley.events x
                WHERE x.partition = w.partition AND x.stream_id = w.id AND x.category = w.category
                    AND x.version > w.version
                ORDER BY x.version
                LIMIT \(Int64(limit))
            ) e
            ORDER BY e.partition, e.position
            """
    }

    /// Reads whether aggregates in doubt are behind the log, and which commands in doubt it has already.
    static func ask(_ doubts: Doubts, on connection: PostgresConnection) async throws -> DoubtsAnswer {
        guard !doubts.isEmpty else { return DoubtsAnswer() }
        let answers = try await connection.batch([heads(of: doubts.streams), firstEvents(of: doubts.commands)])
        guard answers.count == 2 else { throw UnexpectedAnswer() }
        return DoubtsAnswer(
            heads: try answers[0].map { try $0.decode(0) },
            replays: Replays(try answers[1].map(StoredEvent.init))
        )
    }

    /// Which of these commands the log has already.
    static func replays(of commands: [PendingCommand], on connection: PostgresConnection) async throws -> Replays {
        Replays(try await connection.query(firstEvents(of: commands)).map(StoredEvent.init))
    }

    private static func heads(of streams: [Doubts.Stream]) -> SQL {
        """
        SELECT coalesce((
            SELECT e.version FROM parley.events e
            WHERE e.partition = w.partition AND e.stream_id = w.id AND e.category = w.category
            ORDER BY e.version DESC LIMIT 1), 0)
        FROM unnest(
            \(streams.map { Int32(clamping: $0.partition) }), \(streams.map(\.id.id)),
            \(streams.map(\.id.category.rawValue))) WITH ORDINALITY AS w (partition, id, category, n)
        ORDER BY w.n
        """
    }

    private static func firstEvents(of commands: [PendingCommand]) -> SQL {
        """
        SELECT \(StoredEvent.columns)
        FROM unnest(
            \(commands.map { Int32(clamping: $0.partition) }), \(commands.map(\.aggregate.id)),
            \(commands.map(\.context.commandID))) AS w (partition, id, command_id)
        CROSS JOIN LATERAL (
            SELECT x.* FROM parley.events x
            WHERE x.partition = w.partition AND x.command_id = w.command_id AND x.stream_id = w.id
                AND x.ordinal = 0
        ) e
        """
    }
}

/// An aggregate's history holds an event that cannot be folded.
struct UnreadableHistory: Error {
    private let cause: any Error

    /// Runs what folds a history.
    static func unless(_ fold: () throws -> Void) throws {
        do { try fold() } catch { throw UnreadableHistory(cause: error) }
    }

    /// What a command fails with that is about the history.
    var commandError: any Error {
        if let unknown = cause as? UnknownEvent { CommandError.unknownEvent(unknown) } else { cause }
    }
}
