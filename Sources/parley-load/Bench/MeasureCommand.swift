import ArgumentParser
import Foundation

struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all",
        abstract: "Measures what the design promises, each figure with its own yardstick in the same run. (default)",
        discussion: """
            Without --server each row has a server of its own: the `parley` beside this program, on a new data directory,
            with production settings but for --limits off and a cheap password hash, ended and removed afterwards. A
            server named with --server needs --limits off, too. All rows take about three quarters
            of an hour. Load, server and PostgreSQL share the machine's cores; the load comes from one thread.

            Rows: \(RowName.allCases.map(\.rawValue).joined(separator: ", ")).
              parley-load bench                                  all of them
              parley-load bench sends latency --runs 5           these two, five times
              parley-load bench --quick --json figures.json      shorter, and kept as JSON

            Figure and yardstick alternate (A B A B); sends without and beside photos in four short pairs for each run and rate,
            and in turn first (A B B A). The table shows medians; the spread is what lies between the lowest and the highest run,
            in percent of the median. Sends are not measured where PostgreSQL is set to be less durable than in production.
            """
    )

    @Argument(help: "The rows to measure. (default: all)")
    var rows: [RowName] = []

    @Option(help: "The rows to measure, with commas between.", transform: RowName.list)
    var only: [RowName] = []

    @OptionGroup var server: ServerOptions
    @OptionGroup var settings: BenchSettings

    @Option(help: "Write everything that was measured into this file.", completion: .file(extensions: ["json"]))
    var json: String?

    func run() async throws {
        let chosen = rows + only
        let selected = chosen.isEmpty ? RowName.standard : RowName.allCases.filter(chosen.contains)
        let (server, settings, json) = (server, settings.adjusted, json)
        try await Outcome.exit(onInterrupt: "interrupted") {
            let bench = Bench(source: try server.source, settings: settings, progress: Progress())
            let report = try await bench.measure(selected)
            print(report.table)
            if let json { try ReportFile.write(report, to: json) }
            return report.failures.isEmpty
        }
    }
}
