import ArgumentParser
import Foundation
import Identity
import Logging

/// Makes bots, and their tokens.
struct BotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bot",
        abstract: "Make bots, which take part in conversations by tokens, list them, and revoke their tokens.",
        discussion: "To close a bot as a whole: parley deactivate ID.",
        subcommands: [Create.self, List.self, Token.self, Revoke.self],
        defaultSubcommand: List.self
    )

    struct Create: Command {
        static let configuration = CommandConfiguration(abstract: "Make a bot, and show its first token once.")

        @Argument(help: "The name under which people see it.")
        var name: String

        @OptionGroup var scopes: BotScopes
        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            try await BotCommand.operate(settings, logger) { identity in
                let bot = try await identity.createBot(name, by: OperatorName.onConsole)
                print("bot         \(bot.uuidString.lowercased())")
                try await BotCommand.printToken(of: bot, scopes, identity)
            }
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(abstract: "List the newest bots with their tokens.")

        @Option(help: "How many bots at most, 1 to 1000.")
        var limit = 100

        @OptionGroup var settings: Configuration

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000") }
        }

        func execute(logger: Logger) async throws {
            try await BotCommand.operate(settings, logger) { identity in
                let bots = try await identity.bots(before: nil, limit: limit)
                guard !bots.isEmpty else { return print("there is no bot: parley bot create") }
                let rows = bots.flatMap { bot in
                    let name = bot.id.uuidString.lowercased() + (bot.isDeactivated ? " (deactivated)" : "")
                    guard !bot.tokens.isEmpty else { return [[name, "", "", ""]] }
                    return bot.tokens.map { token in
                        [
                            name, token.id.uuidString.lowercased(),
                            token.scopes.map(\.rawValue).sorted().joined(separator: ","),
                            token.name.map(TerminalText.line) ?? "",
                        ]
                    }
                }
                print(TextTable.text([["bot", "token", "scopes", "name"]] + rows))
            }
        }
    }

    struct Token: Command {
        static let configuration = CommandConfiguration(abstract: "Make another token of a bot, and show it once.")

        @OptionGroup var bot: BotChoice
        @OptionGroup var scopes: BotScopes
        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            let bot = try bot.value()
            try await BotCommand.operate(settings, logger) { identity in
                try await BotCommand.printToken(of: bot, scopes, identity)
            }
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(abstract: "Take a token of a bot away, and end its streams.")

        @OptionGroup var bot: BotChoice

        @Argument(help: "The token's id, as the list shows it.")
        var token: String

        @OptionGroup var settings: Configuration

        func execute(logger: Logger) async throws {
            guard let token = UUID(uuidString: token) else { throw NotDone(description: "that is no token's id") }
            let bot = try bot.value()
            try await BotCommand.operate(settings, logger) { identity in
                guard try await identity.revokeToken(token, ofBot: bot, by: OperatorName.onConsole) else {
                    throw NotDone(description: "there is no such token")
                }
                print("revoked     \(token.uuidString.lowercased())")
            }
        }
    }

    private static func operate(
        _ settings: Configuration,
        _ logger: Logger,
        _ body: @Sendable (Identity) async throws -> Void
    ) async throws {
        try await Database.with(settings, logger: logger) { database in
            try await Server.operate(settings, on: database, logger: logger) { server in
                do {
                    try await body(server.identity)
                } catch IdentityError.invalid(let fields) {
                    throw NotDone(description: fields.map { "\($0.field): \($0.message)" }.joined(separator: " "))
                }
            }
        }
    }

    private static func printToken(of bot: UUID, _ scopes: BotScopes, _ identity: Identity) async throws {
        let made = try await identity.createToken(
            ofBot: bot,
            named: scopes.tokenName,
            for: Set(scopes.scope.isEmpty ? BotScope.allCases : scopes.scope),
            by: OperatorName.onConsole
        )
        guard let made else { throw NotDone(description: "there is no such bot, or it is deactivated") }
        print("token id    \(made.id.uuidString.lowercased())")
        print("token       \(made.text.exposed)")
    }
}
