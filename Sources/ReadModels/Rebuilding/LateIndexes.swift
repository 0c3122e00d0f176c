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

    /// Few rows are in these, so that to keep them is nothing, and to make them at the end is to pass all rows.
    private static let sparse = ["messages_expiry_idx", "messages_pinned_idx"]

    /// What one table lacks.
    struct Makings: Sendable {
        /// The statements that make its indexes; several of them may run at once.
        let indexes: [String]
        /// The statements that make constraints of indexes, in no time, but each alone with the table.
        let constraints: [String]
    }

    /// By the names of tables.
    let makings: [String: Makings]

    /// Where tables have all indexes from the start.
    static let none = LateIndexes(makings: [:])

    /// Takes them away from tables that hold nothing yet.
    static func drop(in schema: ReadSchema, on connection: PostgresConnection) async throws -> LateIndexes {
        let rows = try await connection.query(
            """
            SELECT c.relname::text AS relation,
                array_agg(pg_get_indexdef(x.indexrelid) ORDER BY k.oid IS NULL, i.relname) AS indexes,
                coalesce(
                    array_agg(
                        format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', c.oid::regclass, k.conname,
                            CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, i.relname)
                    ) FILTER (WHERE k.oid IS NOT NULL),
                    '{}') AS constraints,
                array_agg(CASE
                    WHEN k.oid IS NULL THEN format('DROP INDEX %s', x.indexrelid::regclass)
                    ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', c.oid::regclass, k.conname)
                END) AS removals
            FROM pg_index x
            JOIN pg_class i ON i.oid = x.indexrelid
            JOIN pg_class c ON c.oid = x.indrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_constraint k ON k.conindid = x.indexrelid AND k.contype IN ('p', 'u')
            WHERE n.nspname = \(schema.name) AND i.relname <> ALL (\(needed + sparse))
            GROUP BY c.oid, c.relname
            """
        )
        let removals = try rows.flatMap { try $0.decode("removals", as: [String].self) }
        try await connection.withTransaction { connection in
            try await connection.execute("SET LOCAL ROLE parley_owner")
            if !removals.isEmpty { try await connection.script(removals.joined(separator: ";\n")) }
        }
        var makings: [String: Makings] = [:]
        for row in rows {
            let relation: String = try row.decode("relation")
            makings[relation] = Makings(
                indexes: try row.decode("indexes"),
                constraints: try row.decode("constraints")
            )
        }
        return LateIndexes(makings: makings)
    }
}
