import CoreMetrics
import EventSourcing
import Foundation
import Postgres

/// What the log made of one event of an append.
enum AppendOutcome: Equatable {
    case appended(position: Int64, version: Int64)
    /// Its stream does not end where it was expected to.
    case conflict
    /// The log has its command already.
    case duplicate
}

/// What became of an append.
struct Appended {
    /// One per event, in order.
    var outcomes: [AppendOutcome] = []
    /// Whether all events stand right behind the heads that were known: nobody else has appended to their partitions.
    var isBehindKnownHeads = false
}

/// The two ways into the log, each one statement and one transaction.
enum LogWriter {
    /// Appends events.
    ///
    /// Where the heads are known the events are put right behind them; where they are not, or somebody was faster, the log
    /// finds the places. The caller lets the heads learn from the outcomes once they are sure.
    static func append(
        _ events: [ProposedEvent],
        after heads: inout KnownHeads,
        on connection: PostgresConnection
    ) async throws -> Appended {
        guard !events.isEmpty else { return Appended() }
        if let places = places(for: events, after: &heads) {
            if try await put(events, at: places, on: connection) {
                return Appended(
                    outcomes: places.map { .appended(position: $0.position, version: $0.version) },
                    isBehindKnownHeads: true
                )
            }
            heads.distrust()
        }
        return Appended(outcomes: try await lookUpAndAppend(events).run(on: connection))
    }

    // MARK: Where the heads are known

    private struct Place {
        let position: Int64
        let version: Int64
    }

    private static func places(for events: [ProposedEvent], after heads: inout KnownHeads) -> [Place]? {
        guard let positions = heads.places(for: events) else { return nil }
        var added: [StreamID: Int64] = [:]
        return zip(events, positions).map { event, position in
            let count = added[event.stream, default: 0] + 1
            added[event.stream] = count
            return Place(position: position, version: event.streamVersion + count)
        }
    }

    /// Returns false where a place was taken, does not follow the head, or the log has a command already: then nothing took
    /// effect.
    private static func put(
        _ events: [ProposedEvent],
        at places: [Place],
        on connection: PostgresConnection
    ) async throws -> Bool {
        do {
            try await connection.execute(statement(events, at: places))
            EventStoreMetrics.placedAppends.increment()
            return true
        } catch let error as PostgresError
            where error.sqlState == .uniqueViolation || error.sqlState == .notTheHeadsSuccessor
        {
            return false
        }
    }

    private static func statement(_ events: [ProposedEvent], at places: [Place]) -> SQL {
        let partitions = events.map { Int32(clamping: $0.partition) }
        return """
            SELECT parley.append_at(
                \(Set(partitions).sorted()), \(partitions), \(places.map(\.position)),
                \(events.map(\.stream.id)), \(events.map(\.stream.category.rawValue)),
                \(places.map(\.version)), \(events.map(\.kind.type)),
                \(events.map { Int16(clamping: $0.kind.schemaVersion) }),
                \(events.map(\.commandID)), \(events.map { Int32(clamping: $0.ordinal) }),
                \(events.map(\.event.subject)), \(events.map(\.actor)),
                \(events.map(\.correlationID)), \(events.map(\.causationID)),
                \(events.map(\.recordedAt)), \(events.map { JSONText($0.payload) }),
                \(events.map { $0.sealed.map { Bytes($0.bytes) } }), \(events.map { $0.sealed?.keyID }),
                \(events.map { $0.contentHMAC.map { Bytes($0) } }))
            """
    }

    // MARK: Where they are looked up

    /// Appends what neither conflicts nor is there already, right behind the heads that the log finds. Answers one outcome
    /// per event, in order.
    static func lookUpAndAppend(_ events: [ProposedEvent]) -> LogQuery<[AppendOutcome]> {
        LogQuery(statements: events.isEmpty ? [] : [statement(events)]) { rows in
            var outcomes: [AppendOutcome?] = Array(repeating: nil, count: events.count)
            for row in rows.joined() {
                let place = try row.decode(0, as: Int.self) - 1
                guard outcomes.indices.contains(place) else { throw UnexpectedAnswer() }
                switch try row.decode(1, as: String.self) {
                case "appended": outcomes[place] = .appended(position: try row.decode(2), version: try row.decode(3))
                case "duplicate": outcomes[place] = .duplicate
                default: outcomes[place] = .conflict
                }
            }
            return try outcomes.map { outcome in
                guard let outcome else { throw UnexpectedAnswer() }
                return outcome
            }
        }
    }

    private static func statement(_ events: [ProposedEvent]) -> SQL {
        var partitions: Set<Int> = []
        var streams: Set<StreamID> = []
        let startsPartition = events.map { partitions.insert($0.partition).inserted }
        let startsStream = events.map { streams.insert($0.stream).inserted }
        return """
            SELECT place, outcome, at_position, at_version
            FROM parley.append(
                \(events.map { Int32(clamping: $0.partition) }), \(startsPartition),
                \(events.map(\.stream.id)), \(events.map(\.stream.category.rawValue)), \(startsStream),
                \(events.map { $0.isOrdered ? $0.streamVersion : nil }), \(events.map(\.kind.type)),
                \(events.map { Int16(clamping: $0.kind.schemaVersion) }),
                \(events.map(\.commandID)), \(events.map { Int32(clamping: $0.ordinal) }),
                \(events.map(\.event.subject)), \(events.map(\.actor)),
                \(events.map(\.correlationID)), \(events.map(\.causationID)),
                \(events.map(\.recordedAt)), \(events.map { JSONText($0.payload) }),
                \(events.map { $0.sealed.map { Bytes($0.bytes) } }), \(events.map { $0.sealed?.keyID }),
                \(events.map { $0.contentHMAC.map { Bytes($0) } }))
            """
    }

    /// Keeps everybody else from appending to partitions until the transaction ends.
    static func lock(_ partitions: Set<Int>) -> SQL {
        "SELECT parley.lock_partitions(\(partitions.sorted().map { Int32(clamping: $0) }))"
    }
}

extension SQLState {
    /// `parley.append_at` was given a position or a version that does not follow the newest one.
    static let notTheHeadsSuccessor = SQLState(rawValue: "PY001")
}

/// The database answered something else than was asked.
struct UnexpectedAnswer: Error {}
