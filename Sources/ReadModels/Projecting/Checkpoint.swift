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
    /// other, in the order of the partitions, so that two never deadlock. A missing row stands for 0.
    static func move(_ moves: [Move], in schema: ReadSchema) -> SQL {
        let moves = moves.sorted { $0.partition < $1.partition }
        let partitions = moves.map { Int32(clamping: $0.partition) }
        return """
            INSERT INTO \(identifier: schema.name).checkpoints AS c (partition, position)
            SELECT * FROM unnest(\(partitions), \(moves.map(\.to)))
            ON CONFLICT (partition)
            DO UPDATE SET position = CASE
                WHEN c.position = (\(moves.map(\.from)))[array_position(\(partitions), excluded.partition)]
                THEN excluded.position ELSE -1 END
            """
    }

    static func isOvertaken(_ error: any Error) -> Bool {
        (error as? PostgresError)?.constraint == "checkpoints_not_overtaken"
    }

    /// The checkpoints of all partitions, in order.
    static func read(partitions: Int, in schema: ReadSchema, on connection: PostgresConnection) async throws -> [Int64]
    {
        let rows = try await connection.query("SELECT partition, position FROM \(identifier: schema.name).checkpoints")
        var positions = [Int64](repeating: 0, count: partitions)
        for row in rows {
            let partition: Int = try row.decode("partition")
            if positions.indices.contains(partition) { positions[partition] = try row.decode("position") }
        }
        return positions
    }
}
