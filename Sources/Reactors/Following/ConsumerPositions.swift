import EventSourcing
package import Postgres

/// The rows of `parley.consumers`: how far each consumer has come. Outside the read models, so that a rebuild neither rewinds
/// nor repeats what was done.
enum ConsumerPositions {
    /// Reads the positions of all partitions; what begins for the first time begins at its `start`, or at the log's ends.
    static func open(_ name: String, at start: [Int64]?, on connection: PostgresConnection) async throws -> [Int64] {
        try await connection.execute(
            """
            INSERT INTO parley.consumers (name, partition, position)
            SELECT \(name), p.partition, coalesce((\(start ?? []))[p.partition + 1], (
                SELECT e.position FROM parley.events e WHERE e.partition = p.partition
                ORDER BY e.position DESC LIMIT 1), 0)
            FROM parley.log_partitions p
            WHERE NOT EXISTS (SELECT FROM parley.consumers c WHERE c.name = \(name) AND c.partition = p.partition)
            ON CONFLICT DO NOTHING
            """
        )
        let rows = try await connection.query(
            "SELECT c.position FROM parley.consumers c WHERE c.name = \(name) ORDER BY c.partition"
        )
        return try rows.map { try $0.decode(0) }
    }

    /// Takes the rows of partitions for the transaction, but for those that another process has.
    static func take(_ partitions: [Int], of name: String) -> SQL {
        """
        SELECT c.partition, c.position FROM parley.consumers c
        WHERE c.name = \(name) AND c.partition = ANY (\(partitions.map { Int32(clamping: $0) }))
        ORDER BY c.partition
        FOR UPDATE SKIP LOCKED
        """
    }

    struct Move {
        let partition: Int
        let from: Int64
        let to: Int64
    }

    /// Moves positions, where they still are what they were; answers the partitions that were moved.
    static func move(_ moves: [Move], of name: String) -> SQL {
        """
        UPDATE parley.consumers c SET position = x.after
        FROM unnest(\(moves.map { Int32(clamping: $0.partition) }), \(moves.map(\.from)), \(moves.map(\.to)))
            AS x (partition, before, after)
        WHERE c.name = \(name) AND c.partition = x.partition AND c.position = x.before
        RETURNING c.partition
        """
    }
}

extension LogConsumer {
    /// How many events each consumer has not looked at, by its name.
    package static func lags(on pool: PostgresPool) async throws -> [(name: String, lag: Int64)] {
        let rows = try await pool.query(
            """
            SELECT c.name, sum(greatest(0, h.head - c.position))::bigint AS lag
            FROM parley.consumers c
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT e.position FROM parley.events e WHERE e.partition = c.partition
                    ORDER BY e.position DESC LIMIT 1), 0) AS head
            ) h
            GROUP BY c.name ORDER BY c.name
            """
        )
        return try rows.map { (try $0.decode("name"), try $0.decode("lag")) }
    }
}
