import ArgumentParser
import NIOPosix

struct LoginsBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logins",
        abstract: "Logins per second, and what a storm of logins does to sends and sends to logins.",
        discussion: """
            Sends alone, logins alone, then both at once, one after the other in one run. The server needs --limits off, \
            and the --scrypt-cost that is to be measured.
            """
    )

    @OptionGroup var options: BenchOptions

    @Option(help: "Connections that send, each with one request under way.")
    var connections = 16

    @Option(help: "Connections that sign in, each with one request under way.")
    var logins = 32

    @Option(help: "How long each part is measured.")
    var seconds = 10

    func validate() throws {
        guard (1...10_000).contains(connections) else { throw ValidationError("--connections is 1 to 10,000") }
        guard (1...10_000).contains(logins) else { throw ValidationError("--logins is 1 to 10,000") }
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3,600") }
    }

    func run() async throws {
        let (options, connections, logins, seconds) = (options, connections, logins, seconds)
        try await Outcome.exit(onInterrupt: "interrupted") {
            try await BenchStage.with(options) { stage in
                let sends = SendLoop(stage: stage, connections: connections, textLength: options.textLength)
                let storm = LoginStorm(stage: stage, connections: logins)
                let time = Duration.seconds(seconds)
                _ = try await sends.run(messages: 2_000)
                let sendsAlone = Figures()
                try await sends.run(for: time, figures: sendsAlone)
                let loginsAlone = Figures()
                try await storm.run(for: time, figures: loginsAlone)
                let (bothSends, bothLogins) = (Figures(), Figures())
                async let stormed: Void = storm.run(for: time, figures: bothLogins)
                try await sends.run(for: time, figures: bothSends)
                try await stormed
                func line(_ name: String, _ figures: Figures) -> String {
                    "  \(name)  \(rate(figures))/s, \(figures.summary)"
                }
                func rate(_ figures: Figures) -> Int { figures.count / seconds }
                func share(_ part: Double, _ whole: Double) -> String {
                    whole > 0 ? "\(Int((part / whole * 100).rounded())) %" : "-"
                }
                let slower = bothSends.percentile(99).seconds / max(sendsAlone.percentile(99).seconds, 1e-9)
                print(
                    """
                    logins: \(connections) connections send, \(logins) sign in, \(seconds) s each
                    \(line("sends alone  ", sendsAlone))
                    \(line("logins alone ", loginsAlone))
                    \(line("sends, both  ", bothSends))
                    \(line("logins, both ", bothLogins))
                      in the storm  \(share(Double(bothSends.count), Double(sendsAlone.count))) of the sends, p99 × \
                    \((slower * 10).rounded() / 10), \(share(Double(bothLogins.count), Double(loginsAlone.count))) of \
                    the logins
                    """
                )
            }
            return true
        }
    }
}
