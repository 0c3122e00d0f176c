import EventSourcing
import Foundation
import Postgres

/// The streams of one partition that some projections have stopped following.
struct ParkedStreams: Sendable {
    struct Key: Hashable {
        let projection: String
        let stream: StreamID
    }

    private var keys: Set<Key> = []

    var isEmpty: Bool { keys.isEmpty }

    func contains(_ projection: String, _ stream: StreamID) -> Bool {
        !keys.isEmpty && keys.contains(Key(projection: projection, stream: stream))
    }

    mutating func insert(_ key: Key) {
        keys.insert(key)
    }

    static func read(partition: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws -> Self {
        let rows = try await connection.query(
            """
            SELECT projection, category, stream_id FROM \(identifier: schema.name).parked
            WHERE partition = \(Int32(clamping: partition))
            """
        )
        var parked = ParkedStreams()
        for row in rows {
            let category = StreamCategory(rawValue: try row.decode("category"))
            let stream = StreamID(category, try row.decode("stream_id"))
            parked.insert(Key(projection: try row.decode("projection"), stream: stream))
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
    /// Why the first one was left out; for the later ones it is known already.
    let error: String

    init(_ key: ParkedStreams.Key, at position: Int64, error: String) {
        self.key = key
        first = position
        last = position
        self.error = error
    }

    mutating func add(_ position: Int64) {
        last = position
        count += 1
    }

    static func statement(for parked: [ParkedEvents], partition: Int, in schema: ReadSchema) -> SQL? {
        guard !parked.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).parked AS p (
                partition, projection, category, stream_id, position, last_position, events, error, attempts)
            SELECT \(Int32(clamping: partition)), x.*, 1 FROM unnest(
                \(parked.map(\.key.projection)), \(parked.map(\.key.stream.category.rawValue)),
                \(parked.map(\.key.stream.id)), \(parked.map(\.first)), \(parked.map(\.last)), \(parked.map(\.count)),
                \(parked.map(\.error))
            ) AS x (projection, category, stream_id, position, last_position, events, error)
            ON CONFLICT (partition, stream_id, category, projection)
            DO UPDATE SET last_position = excluded.last_position, events = p.events + excluded.events
            """
    }
}
