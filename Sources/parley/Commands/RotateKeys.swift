import ArgumentParser
import Foundation
import Identity
import Logging
import Postgres

/// Changes the key that signs access tokens.
struct RotateKeys: Command {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys",
        abstract: "Sign access tokens with a new key.",
        discussion: """
            The new key signs in five minutes, when all running servers know it; the old one verifies until its last \
            token has expired, and is deleted then. Nobody notices.

            With --now, for a key that leaked, the old keys are dropped at once: all servers refuse their tokens within \
            30 s, and clients refresh theirs, which needs no password. Streams that were opened with such a token end \
            when it expires, after 15 minutes at most unless configured otherwise.
            """
    )

    @Flag(help: "Drop the old keys at once: their tokens are refused.")
    var now = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let outcome = try await Database.with(settings, logger: logger) { database in
            let pool = PostgresPool(PostgresConfiguration(url: database.url, role: "parley_server"), logger: logger)
            let result: Result<KeyRotation.Outcome?, any Error>
            do {
                let rotation = KeyRotation(pool: pool, masterKeys: try MasterKeyFile.load(settings).accounts)
                result = .success(try await now ? rotation.replace() : rotation.rotate())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            return try result.get()
        }
        guard let outcome else {
            print("A new key waits for its time already; nothing was changed.")
            throw ExitCode(1)
        }
        print("key \(outcome.newKey) signs from \(outcome.signsFrom.formatted(.iso8601))")
        if let end = outcome.othersVerifyUntil {
            print("the keys before verify until \(end.formatted(.iso8601))")
        } else {
            print("the keys before are dropped")
        }
    }
}
