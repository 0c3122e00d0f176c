import ArgumentParser

/// The fixed work that `Deploy/count` counts the instructions of.
struct DriveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Sends so many messages to a server, and returns when they are projected.",
        shouldDisplay: false
    )

    @Option(help: "Messages to send.")
    var messages: Int

    @OptionGroup var server: ServerOptions
    @OptionGroup var settings: BenchSettings

    func validate() throws {
        guard (1...10_000_000).contains(messages) else { throw ValidationError("--messages is 1 to 10,000,000") }
    }

    func run() async throws {
        let (server, settings, messages) = (server, settings, messages)
        try await Outcome.exit(onInterrupt: "interrupted") {
            let bench = Bench(source: try server.source, settings: settings, progress: Progress())
            return try await bench.send(messages)
        }
    }
}
