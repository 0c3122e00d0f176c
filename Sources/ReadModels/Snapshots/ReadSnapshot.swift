import Postgres

/// Several queries that see one moment of all read models.
enum ReadSnapshot {
    /// Runs `body` with the positions, by partition, of what it sees.
    ///
    /// The lock comes before the snapshot is taken: a rebuild that is about to switch the tables waits, so that all
    /// statements find the same ones.
    static func with<T>(
        partitions: Int,
        on pool: PostgresPool,
        _ body: (PostgresConnection, _ positions: [Int64]) async throws -> T
    ) async throws -> T {
        try await pool.withTransaction(.repeatableRead, readOnly: true) { connection in
            try await connection.execute("LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE")
            let positions = try await Checkpoint.read(partitions: partitions, in: .live, on: connection)
            return try await body(connection, positions)
        }
    }
}
