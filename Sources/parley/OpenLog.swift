import EventSourcing
import EventStore
import Logging
import Postgres

/// The log of a database, open for reading by a command.
struct OpenLog {
    let configuration: PostgresConfiguration
    let pool: PostgresPool
    let keyring: Keyring
    let log: LogReader

    static func open(_ settings: Configuration, on database: Database, logger: Logger) async throws -> OpenLog {
        let configuration = PostgresConfiguration(url: database.url, role: "parley_server")
        let pool = PostgresPool(configuration, maxConnections: 4, logger: logger)
        let secret = try MasterKeyFile.load(settings)
        try await LogFormat.check(.ofProgram, in: pool)
        let keyring = Keyring(pool: pool, masterKey: try secret.log)
        let log = LogReader(
            pool: pool,
            keyring: keyring,
            catalog: .ofProgram,
            identity: try await LogIdentity.read(from: pool)
        )
        return OpenLog(configuration: configuration, pool: pool, keyring: keyring, log: log)
    }
}
