package import EventSourcing
package import Foundation
package import Postgres

/// Reads the log: partitions in order, streams in order, single commands.
package struct LogReader: Sendable {
    let pool: PostgresPool
    let keyring: Keyring
    let catalog: EventCatalog
    package let identity: LogIdentity

    package init(pool: PostgresPool, keyring: Keyring, catalog: EventCatalog, identity: LogIdentity) {
        self.pool = pool
        self.keyring = keyring
        self.catalog = catalog
        self.identity = identity
    }

    /// The newest position of every partition, in order; 0 where a partition is empty.
    package func heads() async throws -> [Int64] {
        let rows = try await pool.query(
            """
            SELECT p.partition, coalesce((
                SELECT e.position FROM parley.events e WHERE e.partition = p.partition
                ORDER BY e.position DESC LIMIT 1), 0) AS head
            FROM parley.log_partitions p
            ORDER BY p.partition
            """
        )
        return try rows.map { try $0.decode("head") }
    }

    /// The events of a partition past a position, in order.
    ///
    /// - Throws: ``LogError/gap(partition:expected:found:)`` where a position is missing.
    package func events(partition: Int, after position: Int64, limit: Int) async throws -> [RecordedEvent] {
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM \(partitionTable(partition)) e
            WHERE e.partition = \(Int32(clamping: partition)) AND e.position > \(position)
            ORDER BY e.position
            LIMIT \(Int64(limit))
            """
        )
        let events = try await unseal(rows)
        var expected = position
        for event in events {
            expected += 1
            guard event.position == expected else {
                throw LogError.gap(partition: partition, expected: expected, found: event.position)
            }
        }
        return events
    }

    /// The events of one stream past a version, in order.
    package func events(of stream: StreamID, after version: Int64, limit: Int) async throws -> [RecordedEvent] {
        let partition = identity.partition(of: stream.id)
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM \(partitionTable(partition)) e
            WHERE e.stream_id = \(stream.id) AND e.category = \(stream.category.rawValue) AND e.version > \(version)
            ORDER BY e.version
            LIMIT \(Int64(limit))
            """
        )
        return try await unseal(rows)
    }

    /// The events of an aggregate in a span of positions, in order: reads the tails of its streams and nothing else.
    package func tail(
        of id: UUID,
        categories: [StreamCategory],
        after position: Int64,
        upTo last: Int64,
        limit: Int
    ) async throws -> [RecordedEvent] {
        let table = partitionTable(identity.partition(of: id))
        // Positions rise with versions inside a stream, so where the tail begins is found by halving the versions.
        let rows = try await pool.query(
            """
            WITH begin AS (
                SELECT c.category, parley.first_version_after(
                    \(Int32(clamping: identity.partition(of: id))), \(id), c.category, \(position)) AS version
                FROM unnest(\(categories.map(\.rawValue))) AS c (category)
            )
            SELECT \(StoredEvent.columns)
            FROM begin b
            CROSS JOIN LATERAL (
                SELECT t.* FROM \(table) t
                WHERE t.stream_id = \(id) AND t.category = b.category AND t.version >= b.version
                    AND t.position <= \(last)
                ORDER BY t.version
                LIMIT \(Int64(limit))
            ) e
            ORDER BY e.position
            LIMIT \(Int64(limit))
            """
        )
        return try await unseal(rows)
    }

    /// The first event that a command appended to a stream, if it did.
    package func event(of command: UUID, in stream: StreamID) async throws -> RecordedEvent? {
        try await events(of: [command], in: stream).first
    }

    /// The first events that these commands appended to a stream, of those that did.
    package func events(of commands: [UUID], in stream: StreamID) async throws -> [RecordedEvent] {
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM \(partitionTable(identity.partition(of: stream.id))) e
            WHERE e.stream_id = \(stream.id) AND e.category = \(stream.category.rawValue)
                AND e.command_id = ANY (\(commands)) AND e.ordinal = 0
            """
        )
        return try await unseal(rows)
    }

    /// Which of these streams have events, but for those of people who are erased, or about to be.
    package func existing(_ ids: [UUID], category: StreamCategory) async throws -> Set<UUID> {
        let rows = try await pool.query(
            """
            SELECT w.id
            FROM unnest(\(ids), \(ids.map { Int32(clamping: identity.partition(of: $0)) })) AS w (id, partition)
            WHERE EXISTS (
                SELECT FROM parley.events e
                WHERE e.partition = w.partition AND e.stream_id = w.id AND e.category = \(category.rawValue)
                    AND e.version = 1)
                AND NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = w.id)
            """
        )
        return Set(try rows.map { try $0.decode(0) })
    }

    /// The child table of a partition, named directly so that no statement plans or locks the other children.
    func partitionTable(_ partition: Int) -> SQL {
        "parley.\(identifier: "events_p\(partition)")"
    }

    func unseal(_ rows: Rows) async throws -> [RecordedEvent] {
        let stored = try rows.map(StoredEvent.init)
        let keys = try await keyring.keys(withIDs: Set(stored.compactMap(\.keyID)))
        return stored.map { event in
            event.recorded(catalog: catalog, key: event.keyID.flatMap { keys[$0] })
        }
    }
}
