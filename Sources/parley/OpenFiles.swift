import Attachments
import EventStore
import Logging
import Postgres

/// The files of a database, open for a command.
struct OpenFiles {
    let attachments: Attachments
    private let pool: PostgresPool

    static func open(_ settings: Configuration, on database: Database, logger: Logger) async throws -> OpenFiles {
        let pool = PostgresPool(
            PostgresConfiguration(url: database.url, role: "parley_server"),
            maxConnections: 2,
            logger: logger
        )
        let masterKey = try MasterKeyFile.load(settings).log
        let attachments = Attachments(
            try settings.attachmentSettings(),
            pool: pool,
            keyring: Keyring(pool: pool, masterKey: masterKey),
            signer: LinkSigner(masterKey: masterKey),
            logger: logger
        )
        return OpenFiles(attachments: attachments, pool: pool)
    }

    func close() async {
        await attachments.close()
        await pool.close()
    }
}
