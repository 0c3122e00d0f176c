package import Postgres

/// With which version of each projection the rows of a schema were made: its table `projections`.
package enum ProjectionVersions {
    /// Where a schema holds nothing yet, says that all it will hold is made by this program.
    package static func note(in schema: ReadSchema, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO \(identifier: schema.name).projections AS p (name, version)
            SELECT x.name, x.version
            FROM unnest(\(Projections.all.map { $0.name }), \(Projections.all.map { Int32(clamping: $0.version) }))
                AS x (name, version)
            WHERE NOT EXISTS (SELECT FROM \(identifier: schema.name).checkpoints c WHERE c.position > 0)
            ON CONFLICT (name) DO UPDATE SET version = excluded.version
            """
        )
    }

    /// Where the live read models are not what this program makes, in the order of its projections.
    package static func mismatches(on connection: PostgresConnection) async throws -> [VersionMismatch] {
        let rows = try await connection.query("SELECT p.name, p.version FROM read_live.projections p ORDER BY p.name")
        let stored = try rows.map { row in
            (name: try row.decode("name", as: String.self), version: try row.decode("version", as: Int.self))
        }
        return VersionMismatch.between(stored, Projections.all.map { ($0.name, $0.version) })
    }
}
