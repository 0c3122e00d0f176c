import ArgumentParser
import Identity

/// What a token of a bot is called, and allows.
struct BotScopes: ParsableArguments {
    @Option(help: "What the token allows, once for each: read, write. Both where it is left out.")
    var scope: [BotScope] = []

    @Option(help: "What the list calls the token.")
    var tokenName: String?
}

extension BotScope: ExpressibleByArgument {}
