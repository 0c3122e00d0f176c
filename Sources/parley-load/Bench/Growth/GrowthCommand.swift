import ArgumentParser
import Foundation

struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Measures how cost grows with the log, groups, streams, conversations, the rate, a held snapshot.",
        discussion: """
              log            events in the log: sends, resuming, the list, a page of history
              groups         members of a group: sends and their answers, nobody connected
              streams        open streams of people who are told nothing: sends, and latency of a few
              conversations  of one person: the list, what is unread, sends
              rate           messages per second, at 10, 50, 80 and 95 % of the highest: latency
              snapshot       minutes for which somebody holds a snapshot: sends

            Each dimension has a server of its own, as in `bench all`. Deploy/plot draws the JSON:
              parley-load bench growth --dimension log --dimension groups --json growth.json
              Deploy/plot growth.json
            """
    )

    @Option(name: .customLong("dimension"), help: "What grows; may be given several times. (default: all)")
    var dimensions: [Dimension] = []

    @Option(
        help: "The largest size, for the dimensions that have sizes; log: up to 10,000,000. (default: by dimension)"
    )
    var to: Int?

    @OptionGroup var server: ServerOptions
    @OptionGroup var settings: BenchSettings

    @Option(help: "Write everything that was measured into this file.", completion: .file(extensions: ["json"]))
    var json: String?

    func validate() throws {
        guard to.map({ (10...1_000_000_000).contains($0) }) ?? true else { throw ValidationError("--to is 10 or more") }
    }

    func run() async throws {
        let selected = dimensions.isEmpty ? Dimension.allCases : Dimension.allCases.filter(dimensions.contains)
        let (server, settings, json, to) = (server, settings.adjusted, json, to)
        try await Outcome.exit(onInterrupt: "interrupted") {
            let bench = Bench(source: try server.source, settings: settings, progress: Progress())
            let report = try await bench.grow(selected, upTo: to)
            print(report.table)
            if let json { try ReportFile.write(report, to: json) }
            return report.failures.isEmpty
        }
    }
}
