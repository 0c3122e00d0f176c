import ArgumentParser

struct ResumeBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "How long a stream takes to come back: after many missed events, and after none."
    )

    @OptionGroup var options: BenchOptions

    @Option(help: "Messages missed.")
    var missed = 10_000

    @Option(help: "How often to resume with nothing missed.")
    var times = 50

    func validate() throws {
        guard missed > 0, times > 0 else { throw ValidationError("--missed and --times are at least 1") }
    }

    func run() async throws {
        let (options, missed, times) = (options, missed, times)
        try await Outcome.exit(onInterrupt: "interrupted") {
            try await BenchStage.with(options, streams: 2) { stage in
                let person = stage.groups[0].people[1]
                let reader = BenchReader(client: stage.client, http: stage.http, account: person)
                let start = try await reader.resume(from: nil)
                // Everything goes to the first group: the reader's own.
                let own = BenchStage(
                    client: stage.client,
                    http: stage.http,
                    groups: [stage.groups[0]],
                    addresses: stage.addresses
                )
                let loop = SendLoop(stage: own, connections: 32, textLength: options.textLength)
                _ = try await loop.run(messages: missed)
                let back = try await reader.resume(from: start.cursor)
                let idle = Figures()
                for _ in 0..<times {
                    idle.add(try await reader.resume(from: back.cursor).duration)
                }
                print(
                    """
                    resume: a member of a group of \(options.groupSize)
                      after \(back.messages) missed messages  \(back.duration.milliseconds) ms
                      with nothing missed, \(times) times  \(idle.summary)
                    """
                )
                guard back.messages == missed else {
                    throw APIFailure.unexpected(
                        request: "resume",
                        answer: "\(back.messages) messages of \(missed) missed ones"
                    )
                }
            }
            return true
        }
    }
}
