import ArgumentParser
import Foundation
import Logging

/// Opens an account again.
struct Reactivate: Command {
    static let configuration = CommandConfiguration(
        commandName: "reactivate",
        abstract: "Open an account again that was deactivated.",
        discussion: """
            The person signs in as before; sessions that ended stay ended.
            """
    )

    @Argument(help: "The person's id or email.")
    var person: String

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        try await Database.with(settings, logger: logger) { database in
            try await Server.operate(settings, on: database, logger: logger) { server in
                let id = try await server.person(named: person)
                try await server.setDeactivated(false, id)
                print("reactivated \(id.uuidString.lowercased())")
            }
        }
    }
}
