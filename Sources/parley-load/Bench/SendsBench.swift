import ArgumentParser

struct SendsBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sends",
        abstract: "Durable sends per second over HTTP; the clock stops when the projectors have caught up."
    )

    @OptionGroup var options: BenchOptions

    @Option(help: "Connections, each with one request under way.")
    var connections = 64

    @Option(help: "Messages to send.")
    var messages = 20_000

    func validate() throws {
        guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10,000") }
        guard messages > 0 else { throw ValidationError("--messages is at least 1") }
    }

    func run() async throws {
        let (options, connections, messages) = (options, connections, messages)
        try await Outcome.exit(onInterrupt: "interrupted") {
            try await BenchStage.with(options) { stage in
                let loop = SendLoop(stage: stage, connections: connections, textLength: options.textLength)
                _ = try await loop.run(messages: min(messages / 10, 2000))
                let result = try await loop.run(messages: messages)
                let sent = Double(result.figures.count)
                print(
                    """
                    sends: \(result.figures.count) messages in \(options.conversations) groups of \
                    \(options.groupSize), \(connections) connections
                      answered   \(Int(sent / result.answered.seconds))/s
                      projected  \(Int(sent / result.projected.seconds))/s
                      answer     \(result.figures.summary)
                    """
                )
            }
            return true
        }
    }
}
