import EventSourcing
import Foundation
import Postgres

/// The streams of one partition that some projections have stopped following, and the events that they leave out for good.
struct ParkedStreams: Sendable {
    struct Key: Hashable {
        let projection: String
        let stream: StreamID
    }

    private struct SkippedEvent: Hashable {
        let projection: String
        let position: Int64
    }

    private var keys: Set<Key> = []
    private var skipped: Set<SkippedEvent> = []

    func contains(_ projection: String, _ stream: StreamID) -> Bool {
        !keys.isEmpty && keys.contains(Key(projection: projection, stream: stream))
    }

    /// Whether an operator said that the projection is to go on without the event.
    func skips(_ projection: String, _ position: Int64) -> Bool {
        !skipped.isEmpty && skipped.contains(SkippedEvent(projection: projection, position: position))
    }

    mutating func insert(_ key: Key) {
        keys.insert(key)
    }

    mutating func remove(_ key: Key) {
        keys.remove(key)
    }

    static func read(partition: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws -> Self {
        try await read(partitions: [partition], in: schema, on: connection)[partition] ?? ParkedStreams()
    }

    /// - Returns: by partition, of those where anything is parked or skipped.
    static func read(
        partitions: some Sequence<Int>,
        in schema: ReadSchema,
        on connection: PostgresConnection
    ) async throws -> [Int: Self] {
        let partitions = partitions.map { Int32(clamping: $0) }
        var parked: [Int: Self] = [:]
        let streams = try await connection.query(
            """
            SELECT partition, projection, category, stream_id FROM \(identifier: schema.name).parked
            WHERE partition = ANY (\(partitions))
            """
        )
        for row in streams {
            let category = StreamCategory(rawValue: try row.decode("category"))
            let stream = StreamID(category, try row.decode("stream_id"))
            let key = Key(projection: try row.decode("projection"), stream: stream)
            parked[try row.decode("partition"), default: ParkedStreams()].insert(key)
        }
        let skipped = try await connection.query(
            "SELECT partition, projection, position FROM parley.skipped_events WHERE partition = ANY (\(partitions))"
        )
        for row in skipped {
            let event = SkippedEvent(
                projection: try row.decode("projection"),
                position: try row.decode("position")
            )
            parked[try row.decode("partition"), default: ParkedStreams()].skipped.insert(event)
        }
        return parked
    }
}

/// Events that a batch leaves out of one projection.
struct ParkedEvents {
    let key: ParkedStreams.Key
    let first: Int64
    private(set) var last: Int64
    private(set) var count: Int64 = 1
    /// Whether the stream was parked before: if the table says that it is not any more, nothing is to be left out.
    let isContinued: Bool
    /// Why the first one was left out; for the later ones it is known already.
    let error: String

    init(_ key: ParkedStreams.Key, at position: Int64, isContinued: Bool, error: String) {
        self.key = key
        first = position
        last = position
        self.isContinued = isContinued
        self.error = error
    }

    mutating func add(_ position: Int64) {
        last = position
        count += 1
    }

    static func statement(for parked: [ParkedEvents], partition: Int, in schema: ReadSchema) -> SQL? {
        guard !parked.isEmpty else { return nil }
        let partition = Int32(clamping: partition)
        return """
            INSERT INTO \(identifier: schema.name).parked AS p (
                partition, projection, category, stream_id, position, last_position, events, error, attempts)
            SELECT \(partition), x.projection, x.category, x.stream_id, x.position, x.last_position,
                CASE WHEN x.is_continued AND NOT EXISTS (
                    SELECT FROM \(identifier: schema.name).parked k
                    WHERE k.partition = \(partition) AND k.stream_id = x.stream_id AND k.category = x.category
                        AND k.projection = x.projection) THEN -1 ELSE x.events END,
                x.error, 1
            FROM unnest(
                \(parked.map(\.key.projection)), \(parked.map(\.key.stream.category.rawValue)),
                \(parked.map(\.key.stream.id)), \(parked.map(\.first)), \(parked.map(\.last)), \(parked.map(\.count)),
                \(parked.map(\.error)), \(parked.map(\.isContinued))
            ) AS x (projection, category, stream_id, position, last_position, events, error, is_continued)
            ON CONFLICT (partition, stream_id, category, projection)
            DO UPDATE SET last_position = excluded.last_position, events = p.events + excluded.events
            """
    }
}
