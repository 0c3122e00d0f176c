import ArgumentParser
import Foundation

/// Which bot a command is about.
struct BotChoice: ParsableArguments {
    @Argument(help: "The bot's id, as the list shows it.")
    var bot: String

    func validate() throws { _ = try value() }

    func value() throws -> UUID {
        guard let id = UUID(uuidString: bot) else { throw ValidationError("\(TerminalText.line(bot)) is no bot's id") }
        return id
    }
}
