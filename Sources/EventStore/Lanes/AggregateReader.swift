import EventSourcing
import Foundation
import Postgres

/// What a lane reads: stored states, the events past them, and whether the log has something newer.
enum AggregateReader {
    /// The most events of one stream that are read while others wait: more than lie between two snapshots.
    private static let longestTail = 1_024
    /// The most aggregates that are read at once, so that their tails are bounded together, too.
    static let aggregatesAtOnce = 32

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
        on connection: PostgresConnection,
        into reading: inout Reading
    ) async throws {
        var rest = Array(aggregates)[...]
        while !rest.isEmpty {
            let group = rest.prefix(aggregatesAtOnce)
            let events = try await tails(of: group.map(\.value)).run(on: connection)
            fold(events, into: group, catalog: catalog, reading: &reading)
            rest = rest.dropFirst(group.count)
        }
    }

    /// Folds what ``tails(of:)`` has read.
    static func fold(
        _ stored: [StoredEvent],
        into aggregates: some Sequence<(key: AggregateKey, value: any AnyAggregate)>,
        catalog: EventCatalog,
        reading: inout Reading
    ) {
        let stored = Dictionary(grouping: stored, by: \.stream.id)
        for (key, aggregate) in aggregates {
            let events = stored[key.id] ?? []
            let isLong = aggregate.streams.contains { stream in
                events.count { $0.stream.category == stream.category } >= longestTail
            }
            guard !isLong else {
                reading.long.append(key)
                continue
            }
            do throws(UnreadableHistory) {
                try UnreadableHistory.unless { try aggregate.fold(events, catalog: catalog) }
                reading.current[key] = aggregate
            } catch {
                // One history that cannot be read fails its own commands only.
                reading.failed[key] = error.commandError
            }
        }
    }

    /// The next events of one aggregate, in order, and whether they are the last.
    static func page(
        of aggregate: any AnyAggregate,
        limit: Int,
        on connection: PostgresConnection
    ) async throws -> (events: [StoredEvent], isAtEnd: Bool) {
        let events = try await tails(of: [aggregate], limit: limit).run(on: connection)
        // The streams are folded in one order of positions: not beyond the end of any that goes on.
        let ends = aggregate.streams.compactMap { stream -> Int64? in
            let positions = events.filter { $0.stream.category == stream.category }.map(\.position)
            return positions.count >= limit ? positions.last : nil
        }
        guard let horizon = ends.min() else { return (events, true) }
        return (events.filter { $0.position <= horizon }, false)
    }

    /// The events past the aggregates' versions, in the order of the log, as many of each stream as may be read while others
    /// wait.
    static func tails(of aggregates: [any AnyAggregate], limit: Int = longestTail) -> LogQuery<[StoredEvent]> {
        .perPartition(aggregates, of: \.partition) { partition, aggregates in
            let streams = aggregates.flatMap { aggregate in
                zip(aggregate.streams, aggregate.versions).map { (aggregate.id, $0.category.rawValue, $1) }
            }
            return """
                SELECT \(StoredEvent.columns)
                FROM unnest(\(streams.map(\.0)), \(streams.map(\.1)), \(streams.map(\.2))) AS w (id, category, version)
                CROSS JOIN LATERAL (
                    SELECT x.* FROM parley.events x
                    WHERE x.partition = \(partition) AND x.stream_id = w.id AND x.category = w.category
                        AND x.version > w.version
                    ORDER BY x.version
                    LIMIT \(Int64(limit))
                ) e
                ORDER BY e.position
                """
        } answer: { parts in
            try parts.flatMap { try $0.rows.map(StoredEvent.init) }
        }
    }

    /// Reads whether aggregates in doubt are behind the log, and which commands in doubt it has already.
    static func ask(_ doubts: Doubts, on connection: PostgresConnection) async throws -> DoubtsAnswer {
        guard !doubts.isEmpty else { return DoubtsAnswer() }
        let (heads, replays) = try await heads(of: doubts.streams).and(replays(of: doubts.commands)).run(on: connection)
        return DoubtsAnswer(heads: heads, replays: replays)
    }

    private static func heads(of streams: [Doubts.Stream]) -> LogQuery<[Int64]> {
        .perPartition(streams, of: \.partition) { partition, streams in
            """
            SELECT coalesce((
                SELECT e.version FROM parley.events e
                WHERE e.partition = \(partition) AND e.stream_id = w.id AND e.category = w.category
                ORDER BY e.version DESC LIMIT 1), 0)
            FROM unnest(\(streams.map(\.id.id)), \(streams.map(\.id.category.rawValue)))
                WITH ORDINALITY AS w (id, category, n)
            ORDER BY w.n
            """
        } answer: { parts in
            var heads = Array(repeating: Int64(0), count: streams.count)
            for (places, rows) in parts {
                guard rows.count == places.count else { throw UnexpectedAnswer() }
                for (place, row) in zip(places, rows) { heads[place] = try row.decode(0) }
            }
            return heads
        }
    }

    /// Which of these commands the log has already. Those that are made by the server and may be merged have no replays.
    ///
    /// OFFSET keeps each command's search by the index on commands: joined, PostgreSQL would pass the whole partition once
    /// instead, as a young table's statistics make that look cheap.
    static func replays(of commands: [PendingCommand]) -> LogQuery<Replays> {
        let ids = commands.filter { !$0.isMergeable }.flatMap { command in command.context.ids.map { (command, $0) } }
        return .perPartition(ids, of: \.0.partition) { partition, ids in
            """
            SELECT \(StoredEvent.columns)
            FROM unnest(\(ids.map(\.0.aggregate.id)), \(ids.map(\.1))) AS w (id, command_id)
            CROSS JOIN LATERAL (
                SELECT x.* FROM parley.events x
                WHERE x.partition = \(partition) AND x.command_id = w.command_id AND x.stream_id = w.id
                    AND x.ordinal = 0
                OFFSET 0
            ) e
            """
        } answer: { parts in
            Replays(try parts.flatMap { try $0.rows.map(StoredEvent.init) })
        }
    }
}

/// An aggregate's history holds an event that cannot be folded.
struct UnreadableHistory: Error {
    private let cause: any Error

    /// Runs what folds a history.
    static func unless(_ fold: () throws -> Void) throws(UnreadableHistory) {
        do { try fold() } catch { throw UnreadableHistory(cause: error) }
    }

    /// What a command fails with that is about the history.
    var commandError: any Error {
        if let unknown = cause as? UnknownEvent { CommandError.unknownEvent(unknown) } else { cause }
    }
}
