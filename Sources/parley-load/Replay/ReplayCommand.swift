import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import UnixSignals

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays chat logs as the people who wrote them, and checks that nothing is lost, doubled or moved.",
        discussion: """
            Every id comes from the seed. The journal keeps every answer: after an interruption, or after the server
            was killed, run the same command with the same seed, and all that was ever acknowledged is checked again.

            Exit codes: 0 everything holds, 1 a check failed, 2 wrong use or no server.
            """
    )

    @Argument(help: "Chat logs as JSON lines; each becomes a group.", completion: .file(extensions: ["jsonl"]))
    var files: [String]

    @OptionGroup var target: TargetOptions

    @Option(help: "The seed of all ids and inventions. (default: random, and printed)")
    var seed: UInt64?

    @Option(help: "The journal of answers. (default: parley-load-SEED.jsonl in the working directory)")
    var journal: String?

    @Option(help: "Fill each group with silent members up to this many.")
    var members = 0

    @Option(help: "People of each file who keep a stream open.")
    var listeners = 6

    @Option(help: "The most messages sent at the same time in one group; 1 sends one by one.")
    var burst = 4

    @Option(help: "Groups played at the same time.")
    var groups = 18

    @Flag(help: "The database is being killed meanwhile: a first answer may be that of a repetition.")
    var faults = false

    @Option(help: "Play only the first so many lines of each file.")
    var lines: Int?

    @Option(help: "A directory of pictures: some messages bring one of them.", completion: .directory)
    var pictures: String?

    func validate() throws {
        guard (0...10_000).contains(members) else { throw ValidationError("--members is 0 to 10,000") }
        guard (1...64).contains(burst) else { throw ValidationError("--burst is 1 to 64") }
        guard (0...10_000).contains(listeners) else { throw ValidationError("--listeners is 0 to 10,000") }
        guard groups > 0 else { throw ValidationError("--groups is at least 1") }
        guard lines.map({ $0 > 0 }) ?? true else { throw ValidationError("--lines is at least 1") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999_999)
        let path = journal ?? "parley-load-\(seed).jsonl"
        print("seed \(seed), journal \(path)")
        try await Outcome.exit(onInterrupt: "interrupted; the same with --seed \(seed) --journal \(path) goes on") {
            try await replay(seed: seed, path: path)
        }
    }

    private func replay(seed: UInt64, path: String) async throws -> Bool {
        let pictures = try pictures.map { try Pictures(directory: $0) } ?? .empty
        let count = pictures.all.isEmpty ? nil : pictures.all.count
        let options = PlanOptions(members: members, listeners: listeners, burst: burst, pictures: count)
        let logs = try files.map { try ChatLog(path: $0, limit: lines) }
        guard Set(logs.map(\.name)).count == logs.count else {
            throw ValidationError("two files have the same name")
        }
        var planner = Planner(seed: seed, options: options)
        let plan = planner.plan(logs)
        let header = JournalEntry.Header(
            seed: seed,
            files: logs.map(\.name),
            lines: logs.reduce(0) { $0 + $1.lines.count },
            options: options
        )
        let journal = try Journal(path: path, header: header)
        if journal.isContinued {
            print("the journal holds \(journal.acknowledgementCount) acknowledged messages: going on")
        }
        let report = CheckReport()
        try await play(plan, pictures, journal, report)
        print(report.table())
        print(report.holds ? "everything holds" : "NOT everything holds")
        return report.holds
    }

    private func play(
        _ plan: Plan,
        _ pictures: Pictures,
        _ journal: Journal,
        _ report: CheckReport
    ) async throws {
        let http = HTTPClient(configuration: APIClient.configuration(connections: target.concurrency))
        let streams = HTTPClient(configuration: StreamConnections.configuration(count: plan.listeners.count))
        let client = target.client(http)
        let replay = Replay(
            plan: plan,
            pictures: pictures,
            journal: journal,
            report: report,
            progress: Progress(),
            client: client,
            streams: streams,
            expectsFaults: faults,
            groupsAtOnce: groups,
            concurrency: target.concurrency
        )
        do {
            try await replay.run()
        } catch {
            replay.progress.end()
            // What failed before the end is worth knowing, too.
            if !report.holds { print(report.table()) }
            try? await streams.shutdown()
            try? await http.shutdown()
            throw error
        }
        try await streams.shutdown()
        try await http.shutdown()
    }
}
