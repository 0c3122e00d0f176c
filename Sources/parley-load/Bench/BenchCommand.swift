import ArgumentParser

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures a server. Use a server of its own: it fills with people and groups.",
        subcommands: [SendsBench.self, LatencyBench.self, ResumeBench.self, LoginsBench.self]
    )
}
