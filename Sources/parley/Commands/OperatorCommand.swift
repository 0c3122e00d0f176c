import ArgumentParser
import Foundation
import Identity
import Logging
import Postgres

/// Makes operators, who run the server by its API, and takes their tokens away.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Make operators' tokens for the API on the operations port, list them, and revoke them.",
        subcommands: [Create.self, List.self, Revoke.self],
        defaultSubcommand: List.self
    )

    struct Create: Command {
        static let configuration = CommandConfiguration(
            abstract: "Make an operator, and show the token once.",
            discussion: "The token goes into `Authorization: Bearer`, on the port that PARLEY_OPS_PORT names."
        )

        @Argument(help: "What the audit calls the operator, up to \(Operators.maxName) characters.")
        var name: String

        @Option(help: "What the token allows: read, or act, which is to read and to change.")
        var scope: OperatorScope

        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            let token = try await Operators.with(settings, logger: logger) { operators in
                do {
                    return try await operators.create(name, scope, by: OperatorName.onConsole)
                } catch let error as InvalidField {
                    throw NotDone(description: "the name: \(error.message)")
                }
            }
            guard let token else { throw NotDone(description: "there is an operator of that name: revoke it first") }
            print("token       \(token.exposed)")
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(abstract: "List the operators that there are, and were.")

        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            let operators = try await Operators.with(settings, logger: logger) { try await $0.list() }
            guard !operators.isEmpty else { return print("there is no operator: parley operator create") }
            let rows = operators.map { known in
                [
                    TerminalText.line(known.name), known.scope.rawValue, known.createdAt.ISO8601Format(),
                    known.revokedAt?.ISO8601Format() ?? "",
                ]
            }
            print(TextTable.text([["operator", "scope", "created", "revoked"]] + rows))
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(abstract: "Take an operator's token away, at once.")

        @Argument(help: "The operator's name.")
        var name: String

        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            let isRevoked = try await Operators.with(settings, logger: logger) { operators in
                try await operators.revoke(name, by: OperatorName.onConsole)
            }
            guard isRevoked else { throw NotDone(description: "there is no operator of that name") }
            print("revoked     \(TerminalText.line(name))")
        }
    }
}

extension OperatorScope: ExpressibleByArgument {}

extension Operators {
    fileprivate static func with<Result: Sendable>(
        _ settings: Configuration,
        logger: Logger,
        _ body: @Sendable (Operators) async throws -> Result
    ) async throws -> Result {
        try await Database.with(settings, logger: logger) { database in
            let opened = try await OpenLog.open(settings, on: database, logger: logger)
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(Operators(pool: opened.pool)))
            } catch {
                result = .failure(error)
            }
            await opened.pool.close()
            return try result.get()
        }
    }
}
