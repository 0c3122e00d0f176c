import EventStore
import Logging
import Migrations
import Postgres
import ReadModels

/// The PostgreSQL that a command works on: the one that `DATABASE_URL` names, or the private one.
struct Database: Sendable {
    let url: String
    let migrateURL: String
    /// The private PostgreSQL, where this process is the one that runs it.
    let embedded: EmbeddedPostgres?

    /// Starts the private PostgreSQL, unless another one is configured.
    static func start(_ settings: Configuration, logger: Logger) async throws -> Database {
        if let url = settings.databaseURL.value {
            return Database(url: url, migrateURL: settings.migrateURL.value ?? url, embedded: nil)
        }
        let options = EmbeddedPostgres.Options(
            dataDirectory: settings.dataDirectory.value,
            maxConnections: settings.poolSize.value + settings.lanes.value + settings.projectors.value + 40,
            binaries: settings.postgresBinaries.value,
            beforeCreation: { try MasterKeyFile.make(in: $0, unlessSetIn: settings, logger: logger) }
        )
        let embedded = try await EmbeddedPostgres.start(options, logger: logger)
        return Database(url: embedded.url(), migrateURL: embedded.url(), embedded: embedded)
    }

    /// Works on the database beside a running server, or starts the private PostgreSQL for as long as it takes.
    ///
    /// - Parameter mayCreate: whether a private PostgreSQL is made where there is none.
    static func with<T>(
        _ settings: Configuration,
        mayCreate: Bool = false,
        logger: Logger,
        perform body: (Database) async throws -> T
    ) async throws -> T {
        if let running = try await running(settings) { return try await body(running) }
        guard mayCreate || EmbeddedPostgres.exists(in: settings.dataDirectory.value) else {
            throw ConfigurationError(
                "there is no Parley in \(settings.dataDirectory.value): set \(settings.dataDirectory.environmentName) "
                    + "or \(settings.databaseURL.environmentName)"
            )
        }
        let database = try await start(settings, logger: logger)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(database))
        } catch {
            result = .failure(error)
        }
        await database.embedded?.stop()
        return try result.get()
    }

    /// The database that is there already; nil where the private one does not run.
    static func running(_ settings: Configuration) async throws -> Database? {
        // Who names a directory means that one, whatever the environment holds: an erasure must not hit the other.
        if settings.databaseURL.source == .environment, settings.dataDirectory.source == .flag {
            throw ConfigurationError(
                "--data-dir and \(settings.databaseURL.environmentName) name two databases: unset the variable, or leave "
                    + "the flag out"
            )
        }
        if let url = settings.databaseURL.value {
            return Database(url: url, migrateURL: settings.migrateURL.value ?? url, embedded: nil)
        }
        return try await EmbeddedPostgres.runningURL(dataDirectory: settings.dataDirectory.value)
            .map { Database(url: $0, migrateURL: $0, embedded: nil) }
    }

    /// Applies what is missing, creates the log where there is none, and gives the names of what was applied.
    func migrate(partitions: Int, logger: Logger) async throws -> [String] {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: migrateURL), logger: logger)
        let applied: Result<[String], any Error>
        do {
            applied = .success(try await bringForward(partitions, on: connection))
        } catch {
            applied = .failure(error)
        }
        await connection.close()
        return try applied.get()
    }

    private func bringForward(_ partitions: Int, on connection: PostgresConnection) async throws -> [String] {
        let migrator = Migrator(files: Migrations.all)
        // An account that only serves may look, and where nothing is missing that is enough.
        if try await migrator.pending(on: connection).isEmpty,
            try await !connection.query("SELECT 1 FROM parley.log").isEmpty
        {
            return []
        }
        let names = try await migrator.run(on: connection)
        try await LogIdentity.create(partitions: partitions, on: connection)
        try await ProjectionVersions.note(in: .live, on: connection)
        return names
    }
}
