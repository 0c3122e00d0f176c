import API
import ArgumentParser
import Foundation
import Identity
import Logging

/// Erases a person.
struct Erase: Command {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a person for good, as DELETE /v1/me does.",
        discussion: """
            Takes the account, its email and its sessions, tells the log and every conversation, and destroys the key that \
            sealed what the person said. Nobody can bring it back. Safe to repeat: an erasure that was cut short is \
            finished, by this command or by a running server.

            Old bytes of it stay on the disk until `parley scrub`, and in backups for as long as they are kept.
            """
    )

    @Argument(help: "The person's id or email.")
    var person: String

    @Flag(help: "Do not ask first.")
    var yes = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard yes || isConfirmed() else { throw UsageError("nothing was erased: confirm it, or say --yes") }
        try await Database.with(settings, logger: logger) { database in
            try await Server.operate(settings, on: database, logger: logger) { server in
                // The account of an erasure that was cut short is gone already; its id is still known.
                let known = try await server.identity.account(named: person)
                guard let id = known ?? UUID(uuidString: person), try await server.eraser.begin(id) else {
                    throw NoSuchAccount()
                }
                let report = try await server.eraser.carryOut(id)
                print("erased      \(id.uuidString.lowercased())")
                print("account     gone, with its email and sessions")
                print("told        \(report.conversations) conversations")
                print("key         destroyed")
                print("on the disk until `parley scrub`; in backups for as long as they are kept")
            }
        }
    }

    private func isConfirmed() -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        print("This erases the person for good, and cannot be undone. Type `erase` to go on: ", terminator: "")
        fflush(nil)
        return readLine() == "erase"
    }
}
