import ArgumentParser

struct LatencyBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "From sending to the recipients' streams, at a fixed rate."
    )

    @OptionGroup var options: BenchOptions

    @Option(help: "Messages per second.")
    var rate = 500

    @Option(help: "How long to send.")
    var seconds = 10

    @Option(help: "Connections to send over.")
    var connections = 16

    func validate() throws {
        guard (1...100_000).contains(rate) else { throw ValidationError("--rate is 1 to 100,000") }
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3,600") }
        guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10,000") }
    }

    func run() async throws {
        let (options, rate, seconds, connections) = (options, rate, seconds, connections)
        try await Outcome.exit(onInterrupt: "interrupted") {
            try await BenchStage.with(options, streams: options.conversations * 2) { stage in
                let run = LatencyRun(stage: stage, rate: rate, connections: connections, textLength: options.textLength)
                let result = try await run.run(seconds: seconds)
                print(
                    """
                    latency: \(result.sent) messages at \(rate)/s in \(options.conversations) groups of \
                    \(options.groupSize), two streams each
                      send → SSE  \(result.toStream.summary), \(result.toStream.count) of \(result.sent * 2)
                      answer      \(result.answers.summary)
                    """
                )
            }
            return true
        }
    }
}
