import ArgumentParser
import Foundation

/// The main thread only waits: one that ends, as it does behind an asynchronous `main`, ends valgrind too, which counts
/// the instructions of the whole server (`Deploy/count`).
@main
enum Program {
    static func main() {
        Task.detached {
            await Parley.main()
            exit(EXIT_SUCCESS)
        }
        while true { pause() }
    }
}

/// The server, and what an operator does with it.
struct Parley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "A self-hosted messaging backend on a PostgreSQL event log.",
        discussion: """
            `parley serve` is all that is needed: without a DATABASE_URL it makes and runs a private PostgreSQL in its \
            data directory. The other commands work beside a running server when given the same --data-dir or \
            DATABASE_URL.

            Every setting is a flag or an environment variable; `parley config` lists them with their values.
            Exit codes: 0 done, 1 not so, 64 wrong usage, 69 database unavailable, 70 internal error, \
            76 the data is of a newer version, 78 wrong configuration.
            """,
        version: Build.description,
        subcommands: [
            Serve.self, Project.self, Migrate.self, Rebuild.self, Verify.self, Status.self, Health.self, Parked.self,
            Config.self, Erase.self,
            OperatorCommand.self, BotCommand.self,
            AttachmentsCommand.self, ReportsCommand.self, Deactivate.self, Reactivate.self, Scrub.self, RotateKeys.self,
            RotateMasterKey.self, PushCommand.self,
        ]
    )
}
