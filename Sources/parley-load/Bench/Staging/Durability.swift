import Postgres

/// The settings of a PostgreSQL that decide whether what it confirms survives a power cut.
struct Durability: Sendable, Encodable {
    /// What PostgreSQL says, by name.
    let settings: [String: String]
    /// What roles, databases and functions set for themselves, as `role parley_server: synchronous_commit=off`.
    let overrides: [String]

    private static let names = [
        "fsync", "full_page_writes", "max_wal_size", "server_version", "shared_buffers", "synchronous_commit",
        "wal_compression", "wal_level", "wal_sync_method",
    ]
    private static let required = ["fsync": ["on"], "full_page_writes": ["on"], "synchronous_commit": strongCommits]
    /// Those that wait for the disk.
    private static let strongCommits = ["on", "remote_apply"]

    static func read(_ connection: PostgresConnection) async throws -> Durability {
        let rows = try await connection.query(
            "SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY (\(names))"
        )
        let overrides = try await connection.query(
            """
            SELECT concat_ws(' ', 'role ' || r.rolname, 'database ' || d.datname) || ': ' || c.setting
            FROM pg_db_role_setting s
            CROSS JOIN unnest(s.setconfig) AS c (setting)
            LEFT JOIN pg_roles r ON r.oid = s.setrole
            LEFT JOIN pg_database d ON d.oid = s.setdatabase
            UNION ALL
            SELECT 'function ' || p.proname || ': ' || c.setting
            FROM pg_proc p
            JOIN pg_namespace n ON n.oid = p.pronamespace
            CROSS JOIN unnest(p.proconfig) AS c (setting)
            WHERE n.nspname = 'parley'
            """
        )
        return Durability(
            settings: try rows.reduce(into: [:]) { settings, row in
                settings[try row.decode("name")] = try row.decode("value", as: String.self)
            },
            overrides: try overrides.map { try $0.decode(0) }
        )
    }

    /// What is less durable than in production; empty where nothing is.
    var weaknesses: [String] {
        let weak = Self.required.keys.sorted().compactMap { name in
            let value = settings[name] ?? "unknown"
            return Self.required[name]?.contains(value) == true ? nil : "\(name)=\(value)"
        }
        return weak + overrides.filter(Self.isWeak)
    }

    private static func isWeak(_ override: String) -> Bool {
        guard let setting = override.split(separator: " ").last else { return false }
        let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let accepted = required[parts[0]] else { return false }
        return !accepted.contains(parts[1])
    }
}
