import Foundation
import Postgres

/// A stored state of an aggregate: a cache, without which the events are all there.
struct StateSnapshot: Sendable {
    let key: AggregateKey
    /// The version of the state's shape.
    let version: Int
    /// How far the aggregate's streams are folded, in the decider's order of them.
    let versions: [Int64]
    let position: Int64
    let state: [UInt8]

    init(_ row: Row) throws {
        key = AggregateKey(decider: try row.decode("decider"), id: try row.decode("entity_id"))
        version = try row.decode("shape")
        versions = try row.decode("versions")
        position = try row.decode("position")
        state = try row.decode("state", as: Bytes.self).bytes
    }

    /// The newest stored states of aggregates, of those that have one. OFFSET has each searched for by the key.
    static func statement(for keys: [AggregateKey]) -> SQL {
        """
        SELECT s.entity_id, s.decider, s.shape, s.versions, s.position, s.state
        FROM unnest(\(keys.map(\.id)), \(keys.map(\.decider))) AS w (entity_id, decider)
        CROSS JOIN LATERAL (
            SELECT x.* FROM parley.state_snapshots x
            WHERE x.entity_id = w.entity_id AND x.decider = w.decider
            OFFSET 0
        ) s
        """
    }
}

/// A state to be stored. It is a value of its own, and put into bytes beside the lane: that takes milliseconds where a group
/// is large.
struct DueSnapshot: Sendable {
    let key: AggregateKey
    let version: Int
    let versions: [Int64]
    let position: Int64
    let state: any Encodable & Sendable

    /// Stores the state, if what is stored is not newer: other processes store theirs, too. One at the same place is
    /// replaced, as it may be one that could not be read.
    func store(on connection: PostgresConnection) async throws {
        let bytes = try JSONEncoder().encode(state)
        try await connection.execute(
            """
            INSERT INTO parley.state_snapshots (entity_id, decider, shape, versions, position, state)
            VALUES (
                \(key.id), \(key.decider), \(Int32(clamping: version)), \(versions), \(position),
                \(Bytes([UInt8](bytes))))
            ON CONFLICT (entity_id, decider, shape) DO UPDATE
            SET versions = excluded.versions, position = excluded.position, state = excluded.state
            WHERE state_snapshots.position <= excluded.position
            """
        )
    }
}
