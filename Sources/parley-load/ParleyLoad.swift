import ArgumentParser

@main
struct ParleyLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-load",
        abstract: "Plays real chats against a Parley server, checks every promise, and measures.",
        subcommands: [ReplayCommand.self, BenchCommand.self, BareCommand.self]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // ArgumentParser ends with 64 on wrong use; here that is 2.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Outcome.complain(fullMessage(for: error))
            exit(withError: Outcome.unusable)
        }
    }
}
