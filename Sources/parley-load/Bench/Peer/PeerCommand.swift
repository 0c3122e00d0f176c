import ArgumentParser
import Foundation

struct PeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peer",
        abstract: "Measures any server that speaks HTTP with the same load, from a small description.",
        discussion: """
            Saturation with --connections, then the latency of the answers at --rate, counted from when each request was
            due. The description is a JSON file; --example prints one that can be used or changed:
              parley-load bench peer --example synapse > synapse.json
              parley-load bench peer synapse.json --rate 50 --json synapse-figures.json

            `setup` is done for each of the `senders`, step by step; `variables` takes fields of a JSON answer, by paths
            such as "data.rooms.0.id", into placeholders for later steps. `request` is what is measured. Placeholders in
            paths, headers and bodies: {uuid} and {counter}, new in each request; {text}, what is said; {run}, new in each
            run; {sender}, from 1; and the variables. They are encoded as path, header or JSON ask for. `success` lists
            the statuses that count.
            """
    )

    @Argument(help: "The description.", completion: .file(extensions: ["json"]))
    var file: String?

    @Option(help: "Print a description and end.")
    var example: PeerExample?

    @OptionGroup var settings: BenchSettings

    @Option(help: "Write everything that was measured into this file.", completion: .file(extensions: ["json"]))
    var json: String?

    func validate() throws {
        guard (file == nil) != (example == nil) else { throw ValidationError("a description or --example is needed") }
    }

    func run() async throws {
        if let example { return print(example.json) }
        guard let file else { return }
        let (settings, json) = (settings.adjusted, json)
        try await Outcome.exit(onInterrupt: "interrupted") {
            let peer = Peer(try PeerFile(path: file), textLength: settings.textLength)
            let report = try await PeerBench(peer: peer, settings: settings, progress: Progress()).measure()
            print(report.table)
            if let json { try ReportFile.write(report, to: json) }
            return true
        }
    }
}
