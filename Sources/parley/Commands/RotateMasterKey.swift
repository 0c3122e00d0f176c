import ArgumentParser
import EventStore
import Identity
import Logging
import Postgres

/// Changes the key that wraps all other keys.
struct RotateMasterKey: Command {
    static let configuration = CommandConfiguration(
        commandName: "rotate-master-key",
        abstract: "Wrap all keys under the master key that are under the other one.",
        discussion: """
            Make a new key, and set it as the master key and the present one as PARLEY_OTHER_MASTER_KEY (or _FILE), for \
            every server and for this command; both are good then. Where several servers run, let all of them know the \
            new key as the other one first. This command then wraps every person's key and the signing keys anew. It may \
            be cut short and run again. When it says that none is left, the old key is needed by nobody but devices that \
            have not refreshed their tokens since: without it they sign in again.
            """
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let keys = try MasterKeyFile.load(settings)
        guard keys.other != nil else {
            let secrets = settings.secrets
            let names = "\(secrets.otherMasterKey.environmentName) or \(secrets.otherMasterKeyFile.environmentName)"
            throw ConfigurationError("there is one master key alone: set \(names) to the key before it")
        }
        try await Database.with(settings, logger: logger) { database in
            // The server's own role changes no keys.
            let configuration = PostgresConfiguration(url: database.migrateURL, role: "parley_owner")
            let pool = PostgresPool(configuration, maxConnections: 1, logger: logger)
            let result: Result<Void, any Error>
            do {
                result = .success(try await rewrap(keys, pool))
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try result.get()
        }
    }

    private func rewrap(_ keys: SecretKeys, _ pool: PostgresPool) async throws {
        let signing = try await KeyRotation(pool: pool, masterKeys: keys.accounts).rewrap()
        print("signing keys  \(signing), all under the master key")
        let rewrapping = KeyRewrapping(pool: pool, masterKey: try keys.log)
        // Servers that still have the old key in the first place may add some meanwhile: again, until there are none.
        while true {
            let changed = try await rewrapping.run { seen, changed in
                print("people's keys  \(seen) seen, \(changed) wrapped anew")
            }
            if changed == 0 { break }
        }
        print("none is left under the other key")
    }
}
