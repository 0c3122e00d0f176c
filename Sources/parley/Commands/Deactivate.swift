import ArgumentParser
import Foundation
import Logging

/// Closes an account.
struct Deactivate: Command {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "Close an account until it is reactivated.",
        discussion: """
            Its sessions end, and signing in is refused; a new password does not change that. The person stays a member of \
            every conversation, keeps the name there, and is left out of the directory.
            """
    )

    @Argument(help: "The person's id or email.")
    var person: String

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        try await Database.with(settings, logger: logger) { database in
            try await Server.operate(settings, on: database, logger: logger) { server in
                let id = try await server.person(named: person)
                try await server.setDeactivated(true, id)
                print("deactivated \(id.uuidString.lowercased())")
            }
        }
    }
}
