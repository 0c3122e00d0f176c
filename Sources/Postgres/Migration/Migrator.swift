/// Brings a database's schema forward, file by file.
///
/// Each file is one transaction, together with its row in `parley.migrations`. An advisory lock lets one migrator work at
/// a time. A file that was changed after it was applied is refused, and so is a database that a newer program has migrated.
package struct Migrator: Sendable {
    private let files: [MigrationFile]

    package init(files: [MigrationFile]) {
        self.files = files
    }

    /// Applies what is pending, in order, and returns the names.
    @discardableResult
    package func run(on connection: PostgresConnection) async throws -> [String] {
        try await withLock(on: connection) {
            try await createTable(on: connection)
            var applied: [String] = []
            for migration in try await plan(on: connection) {
                try await apply(migration, on: connection)
                applied.append(migration.file.name)
            }
            return applied
        }
    }

    /// The names of the files that `run` would apply; changes nothing.
    package func pending(on connection: PostgresConnection) async throws -> [String] {
        try await plan(on: connection).map(\.file.name)
    }

    // MARK: Plan

    private struct NumberedFile {
        let version: Int
        let file: MigrationFile
    }

    private func plan(on connection: PostgresConnection) async throws -> [NumberedFile] {
        let files = try numberedFiles()
        let applied = try await appliedFiles(on: connection)
        let unknown = Set(applied.keys).subtracting(files.map(\.version))
        guard unknown.isEmpty else {
            throw MigrationError.newerDatabase(unknown.sorted().compactMap { applied[$0]?.name })
        }
        let newest = applied.keys.max() ?? -1
        return try files.filter { numbered in
            guard let known = applied[numbered.version] else {
                guard numbered.version > newest else { throw MigrationError.outOfOrder(numbered.file.name) }
                return true
            }
            guard known.checksum == numbered.file.checksum else {
                throw MigrationError.checksumMismatch(numbered.file.name)
            }
            return false
        }
    }

    private func numberedFiles() throws -> [NumberedFile] {
        var seen: Set<Int> = []
        let numbered = try files.map { file in
            guard let version = file.version, seen.insert(version).inserted else {
                throw MigrationError.invalidName(file.name)
            }
            return NumberedFile(version: version, file: file)
        }
        return numbered.sorted { $0.version < $1.version }
    }

    private func appliedFiles(
        on connection: PostgresConnection
    ) async throws -> [Int: (name: String, checksum: [UInt8])] {
        guard try await hasTable(on: connection) else { return [:] }
        let rows = try await connection.query("SELECT version, name, checksum FROM parley.migrations")
        return try Dictionary(
            rows.map { row in
                let checksum = try row.decode("checksum", as: Bytes.self).bytes
                return (try row.decode("version"), (name: try row.decode("name"), checksum: checksum))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private func hasTable(on connection: PostgresConnection) async throws -> Bool {
        try await connection.query("SELECT to_regclass('parley.migrations') IS NOT NULL").onlyValue()
    }

    // MARK: Work

    private func apply(_ migration: NumberedFile, on connection: PostgresConnection) async throws {
        let file = migration.file
        try await connection.withTransaction { connection in
            // A long index build is no runaway query.
            try await connection.execute("SET LOCAL statement_timeout = 0")
            let reply = try await connection.run(script: file.text, CallSite(file: #fileID, line: #line))
            guard !reply.controlledTransaction else { throw MigrationError.controlsTransaction(file.name) }
            try await connection.execute(
                """
                INSERT INTO parley.migrations (version, name, checksum)
                VALUES (\(migration.version), \(file.name), \(Bytes(file.checksum)))
                """
            )
        }
    }

    private func createTable(on connection: PostgresConnection) async throws {
        try await connection.withTransaction { connection in
            // CREATE … IF NOT EXISTS asks for the right to create one even where it exists.
            let exists: Bool = try await connection.query("SELECT to_regnamespace('parley') IS NOT NULL").onlyValue()
            if !exists { try await connection.execute("CREATE SCHEMA parley") }
            guard try await !hasTable(on: connection) else { return }
            try await connection.execute(
                """
                CREATE TABLE parley.migrations (
                    version bigint PRIMARY KEY,
                    name text NOT NULL,
                    checksum bytea NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                )
                """
            )
        }
    }

    private func withLock<T>(on connection: PostgresConnection, _ body: () async throws -> T) async throws -> T {
        try await connection.withTransaction { connection in
            // The wait for another migrator may be long; the lock is the session's and outlasts this transaction.
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await connection.execute("SET LOCAL lock_timeout = 0")
            try await connection.execute("SELECT pg_advisory_lock(\(Self.lockKey))")
        }
        do {
            let result = try await body()
            await unlock(connection)
            return result
        } catch {
            await unlock(connection)
            throw error
        }
    }

    /// Frees the lock, also when the task is cancelled; the end of the session would do it too.
    private func unlock(_ connection: PostgresConnection) async {
        let site = CallSite(file: #fileID, line: #line)
        _ = try? await connection.sendRegardless(
            "SELECT pg_advisory_unlock(\(Self.lockKey))",
            isUrgent: true,
            site
        )
    }

    /// "parley" in ASCII.
    private static let lockKey: Int64 = 0x7061_726c_6579
}

extension Rows {
    /// The value of a query that always has one row with one column.
    fileprivate func onlyValue<T: PostgresDecodable>() throws -> T {
        guard let row = first else { throw PostgresDecodingError(T.self, .noSuchColumn) }
        return try row.decode(0)
    }
}
