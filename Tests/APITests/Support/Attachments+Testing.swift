import Attachments
import EventStore
import Logging
import Postgres
import TestSupport

extension Attachments {
    /// Files of a test's own, in a directory that goes with the test process.
    static func testing(
        _ eventStore: EventStore,
        masterKey: MasterKey,
        pool: PostgresPool,
        logger: Logger = SecretWatch.logger,
        _ configure: (inout Settings) -> Void = { _ in }
    ) throws -> Attachments {
        var settings = Settings(
            directory: TestCluster.newFileDirectory(),
            imageHelper: try BuiltProgram.path("parley-image")
        )
        configure(&settings)
        return Attachments(
            settings,
            pool: pool,
            keyring: eventStore.keyring,
            signer: LinkSigner(masterKey: masterKey),
            logger: logger
        )
    }
}
