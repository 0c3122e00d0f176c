import Logging
import Postgres

/// The indexes and constraints of new tables that are made when the tables are full.
struct LateIndexes: Sendable {
    /// By these, projections find the rows that they change. All others, readers alone need.
    static let needed = [
        "blocks_pkey", "checkpoints_pkey", "conversations_pkey", "hidden_messages_pkey", "memberships_pkey",
        "message_versions_pkey",
        "messages_pkey", "parked_pkey", "reactions_pkey", "reactions_user_idx", "search_chunks_pkey",
        "system_messages_pkey",
        "unread_counts_pkey", "users_pkey", "watermarks_pkey",
    ]

    /// The statements that make them, table by table.
    private let statements: [[String]]

    /// Takes them away from tables that hold nothing yet.
    static func drop(in schema: ReadSchema, on connection: PostgresConnection) async throws -> LateIndexes {
        let rows = try await connection.query(
            """
            SELECT c.oid::regclass::text AS relation, array_agg(CASE
                    WHEN k.oid IS NULL THEN pg_get_indexdef(x.indexrelid)
                    ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.oid::regclass, k.conname,
                        pg_get_constraintdef(k.oid))
                END ORDER BY i.relname) AS makings,
                array_agg(CASE
                    WHEN k.oid IS NULL THEN format('DROP INDEX %s', x.indexrelid::regclass)
                    ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', c.oid::regclass, k.conname)
                END) AS removals
            FROM pg_index x
            JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_class c ON c.oid = x.indrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_constraint k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u')
            WHERE n.nspname = \(schema.name) AND i.relname <> ALL (\(needed))
            GROUP BY c.oid
            ORDER BY c.oid
            """
        )
        try await connection.withTransaction { connection in
            try await connection.execute("SET LOCAL ROLE parley_owner")
            for row in rows {
                for removal in try row.decode("removals", as: [String].self) { try await connection.script(removal) }
            }
        }
        return LateIndexes(statements: try rows.map { try $0.decode("makings") })
    }

    /// Makes them, several tables at once.
    func make(_ database: PostgresConfiguration, workers: Int, logger: Logger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = statements[...]
            func start() {
                guard let next = rest.popFirst() else { return }
                group.addTask { try await Self.make(next, database, logger: logger) }
            }
            for _ in 0..<max(1, workers) { start() }
            while try await group.next() != nil { start() }
        }
    }

    private static func make(
        _ statements: [String],
        _ database: PostgresConfiguration,
        logger: Logger
    ) async throws {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        let result: Result<Void, any Error>
        do {
            try await connection.execute("SET ROLE parley_owner")
            try await connection.execute("SET statement_timeout = 0")
            for statement in statements { try await connection.script(statement) }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await connection.close()
        try result.get()
    }
}
