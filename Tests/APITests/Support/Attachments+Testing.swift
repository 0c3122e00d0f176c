import Attachments
import EventStore
import Foundation
import Logging
import Postgres
import TestSupport

extension Attachments {
    /// Files of a test's own, in a directory that goes with the test run.
    static func testing(
        _ eventStore: EventStore,
        masterKey: MasterKey,
        pool: PostgresPool,
        logger: Logger = SecretWatch.logger,
        _ configure: (inout Settings) -> Void = { _ in }
    ) throws -> Attachments {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("parley-files-\(UUID())")
        var settings = Settings(directory: directory.path, imageHelper: try BuiltProgram.path("parley-image"))
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
