import EventSourcing
import Postgres

/// The row of `checkpoints` that says how far a partition is projected.
package enum Checkpoint {
    /// Another worker wrote the batch; nothing took effect here.
    package struct Overtaken: Error {}

    struct Move {
        let partition: Int
        let from: Int64
        let to: Int64
    }

    /// Moves the checkpoints of partitions, if all are where the worker read them; else fails, and with it the transaction.
    ///
    /// Comes first in the transaction: it takes the locks that make two workers, and a rebuild's switch, wait for each
    /// other, in the order of the partitions, so that two never deadlock. Each row is taken out and put in anew: of two
    /// workers only one finds it to take out, and nobody has to pass the old versions of a row, however many a long
    /// snapshot keeps.
    static func move(_ moves: [Move], in schema: ReadSchema) -> SQL {
        let moves = moves.sorted { $0.partition < $1.partition }
        let partitions = moves.map { Int32(clamping: $0.partition) }
        return """
            WITH taken AS (
                DELETE FROM \(identifier: schema.name).checkpoints c
                USING unnest(\(partitions), \(moves.map(\.from))) AS x (partition, position)
                WHERE c.partition = x.partition AND c.position = x.position
                RETURNING c.partition
            )
            INSERT INTO \(identifier: schema.name).checkpoints (partition, position)
            SELECT x.partition, CASE WHEN t.partition IS NULL THEN -1 ELSE x.position END
            FROM unnest(\(partitions), \(moves.map(\.to))) AS x (partition, position)
            LEFT JOIN taken t ON t.partition = x.partition
            """
    }

    /// The position of a partition; where it has none, as in new tables, it begins at 0.
    static func open(_ partition: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws -> Int64 {
        let number = Int32(clamping: partition)
        let newest = NewestVersion.ofCheckpoint("\(number)", in: schema)
        if let row = try await connection.query(newest).first { return try row.decode("position") }
        return try await connection.withTransaction { connection in
            // Nobody may begin the partition, and move on, between the look and the row.
            try await connection.execute(
                "LOCK TABLE \(identifier: schema.name).checkpoints IN SHARE ROW EXCLUSIVE MODE"
            )
            if let row = try await connection.query(newest).first { return try row.decode("position") }
            try await connection.execute(
                "INSERT INTO \(identifier: schema.name).checkpoints (partition, position) VALUES (\(number), 0)"
            )
            return 0
        }
    }

    /// Begins all partitions, in new tables that nobody else writes to yet: so whoever opens one waits for no other.
    static func begin(partitions: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO \(identifier: schema.name).checkpoints (partition, position)
            SELECT p.partition, 0 FROM generate_series(0, \(Int32(clamping: partitions)) - 1) AS p (partition)
            """
        )
    }

    /// Whether somebody else changed what the worker had in mind: the checkpoint, or what is parked.
    static func isOvertaken(_ error: any Error) -> Bool {
        guard let constraint = (error as? PostgresError)?.constraint else { return false }
        return ["checkpoints_not_overtaken", "parked_not_ended"].contains(constraint)
    }

    /// The checkpoints of all partitions, in order.
    static func read(partitions: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws -> [Int64]
    {
        let rows = try await connection.query(
            """
            SELECT p.partition, (\(NewestVersion.ofCheckpoint("p.partition", in: schema))) AS position
            FROM generate_series(0, \(Int32(clamping: partitions)) - 1) AS p (partition)
            """
        )
        var positions = [Int64](repeating: 0, count: partitions)
        for row in rows {
            let partition: Int = try row.decode("partition")
            guard positions.indices.contains(partition) else { continue }
            positions[partition] = try row.decode("position", as: Int64?.self) ?? 0
        }
        return positions
    }
}
