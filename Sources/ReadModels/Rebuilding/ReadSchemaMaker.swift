package import Postgres

/// Makes and drops schemas of read models, beside the live one.
package struct ReadSchemaMaker: Sendable {
    private let migrations: [MigrationFile]

    package init(migrations: [MigrationFile]) {
        self.migrations = migrations
    }

    /// Makes a schema with empty read models, as parley_owner's; one of that name that was left behind is dropped.
    package func make(_ schema: ReadSchema, on connection: PostgresConnection) async throws {
        try await Self.drop(.old, on: connection)
        try await Self.drop(schema, on: connection)
        try await connection.withTransaction { connection in
            try await Self.allowSchemas(on: connection)
            try await connection.execute("SET LOCAL ROLE parley_owner")
            try await connection.execute("CREATE SCHEMA \(identifier: schema.name)")
            try await connection.execute("GRANT USAGE ON SCHEMA \(identifier: schema.name) TO parley_server")
            try await connection.execute("SET LOCAL search_path = \(identifier: schema.name)")
            if !migrations.isEmpty {
                // In one round trip. A file may end without a semicolon, or with a comment.
                try await connection.script(migrations.map(\.text).joined(separator: "\n;\n"))
            }
            try await ProjectionVersions.note(in: schema, on: connection)
        }
    }

    /// The right to create schemas is the database's, and neither a copy of the database nor a dump keeps it.
    private static func allowSchemas(on connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT current_database() AS name,
                has_database_privilege('parley_owner', current_database(), 'CREATE') AS may_create
            """
        )
        guard let row = rows.first, try !row.decode("may_create", as: Bool.self) else { return }
        // As whoever logged in: the role may be set for the whole session.
        try await connection.execute("SET LOCAL ROLE NONE")
        let name: String = try row.decode("name")
        try await connection.execute("GRANT CREATE ON DATABASE \(identifier: name) TO parley_owner")
    }

    static func drop(_ schema: ReadSchema, on connection: PostgresConnection) async throws {
        precondition(schema != .live, "nothing drops the live read models")
        let found = try await connection.query("SELECT FROM pg_namespace n WHERE n.nspname = \(schema.name)")
        guard !found.isEmpty else { return }
        try await connection.withTransaction { connection in
            try await connection.execute("SET LOCAL ROLE parley_owner")
            // Readers that began before a switch still read the old tables.
            try await connection.execute("SET LOCAL lock_timeout = 0")
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await connection.execute("DROP SCHEMA IF EXISTS \(identifier: schema.name) CASCADE")
        }
    }
}
