import AsyncHTTPClient
import ParleyWire

/// Two processes that serve and one that projects are restarted in turn by SIGTERM, under sends, receipts and open streams:
/// what clients see of it. Nothing may be lost and nothing doubled. At last the one that projects is ended, and killed: how
/// long until the others have its share.
struct RestartsRow: BenchRow {
    private static let groupSize = 3
    private static let interval = Duration.milliseconds(200)
    /// Before the first restart and after each.
    private static let calm = Duration.seconds(2)
    private static let patience = Duration.seconds(60)

    private struct Outcome: Sendable {
        let tallies: [RestartTally]
        let takeOver: TakeOver
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        try await StagedProcesses.with([.serve, .serve, .project], for: subject) { staged in
            let groups = try await staged.subject.crowd.groups(staged.subject.settings.groups, of: Self.groupSize)
            let http = HTTPClient(configuration: StreamConnections.configuration(count: groups.count * Self.groupSize))
            let outcome = try await withEnding {
                try await restart(staged, try await clients(of: groups, staged, http))
            } ending: {
                try? await http.shutdown()
            }
            return try findings(outcome.tallies) + findings(outcome.takeOver)
        }
    }

    private func clients(
        of groups: [Crowd.Group],
        _ staged: StagedProcesses,
        _ http: HTTPClient
    ) async throws -> [RestartClient] {
        let addresses = staged.processes.filter { $0.role == .serve }.map(\.url)
        var clients: [RestartClient] = []
        for group in groups {
            for person in group.people {
                clients.append(
                    RestartClient(
                        token: try await staged.subject.crowd.token(of: person),
                        group: group.id,
                        addresses: addresses,
                        first: clients.count % addresses.count,
                        interval: Self.interval,
                        http: http
                    )
                )
            }
        }
        return clients
    }

    private func restart(_ staged: StagedProcesses, _ clients: [RestartClient]) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.listen() } }
            try await wait("streams", clients) { await $0.isReady }
            let sending = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for client in clients { group.addTask { try await client.send() } }
                    try await group.waitForAll()
                }
            }
            defer { sending.cancel() }
            try await Task.sleep(for: Self.calm)
            for (number, process) in staged.processes.enumerated() {
                staged.subject.progress.note("restarting \(process.role.rawValue) \(number + 1)")
                try await process.restart()
                try await Task.sleep(for: Self.calm)
            }
            staged.subject.progress.note("ending and killing the projector")
            let takeOver = try await TakeOver.measure(staged)
            for client in clients { await client.stopSending() }
            try await sending.value
            let acknowledged = await acknowledged(clients)
            // What is missing in the end is said below.
            try? await wait("messages", clients) { client in
                await client.tally.missing(of: acknowledged[client.group] ?? []) == 0
            }
            group.cancelAll()
            var tallies: [RestartTally] = []
            for client in clients { tallies.append(await client.tally) }
            let lost = zip(clients, tallies).reduce(0) { $0 + $1.1.missing(of: acknowledged[$1.0.group] ?? []) }
            guard lost == 0 else { throw APIFailure.unexpected(request: "restarts", answer: "\(lost) events are lost") }
            return Outcome(tallies: tallies, takeOver: takeOver)
        }
    }

    private func acknowledged(_ clients: [RestartClient]) async -> [WireID: Set<WireID>] {
        var messages: [WireID: Set<WireID>] = [:]
        for client in clients { messages[client.group, default: []].formUnion(await client.tally.acknowledged) }
        return messages
    }

    private func wait(
        _ what: String,
        _ clients: [RestartClient],
        until isDone: (RestartClient) async -> Bool
    ) async throws {
        let start = ContinuousClock.now
        for client in clients {
            while await !isDone(client) {
                guard ContinuousClock.now - start < Self.patience else {
                    throw APIFailure.unexpected(request: "restarts", answer: "not all \(what) have come")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func findings(_ tallies: [RestartTally]) throws -> [Finding] {
        let doubled = tallies.reduce(0) { $0 + $1.doubled }
        let resets = tallies.reduce(0) { $0 + $1.resets }
        guard doubled == 0, resets == 0 else {
            throw APIFailure.unexpected(request: "restarts", answer: "\(doubled) events doubled, \(resets) resets")
        }
        let requests = tallies.reduce(0) { $0 + $1.requests }
        let refusals = tallies.reduce(into: [String: Int]()) { all, tally in all.merge(tally.refusals) { $0 + $1 } }
        let refused = refusals.filter { !$0.key.hasPrefix("stream") }.values.reduce(0, +)
        let reconnects = tallies.map { Double($0.reconnects) }
        func longest(_ value: (RestartTally) -> Double) -> [Double] { [(tallies.map(value).max() ?? 0) * 1_000] }
        let what = "2 × serve and project restarted in turn under \(tallies.count) clients"
        return [
            Finding(.restarts, "\(what): events lost or doubled", [Double(doubled)], .count),
            Finding(
                .restarts,
                "reconnects per client, the most",
                [reconnects.max() ?? 0],
                .count,
                goal: Goal(.figure, .atMost, bar: 4, aim: 2),
                details: ["mean": reconnects.reduce(0, +) / Double(max(reconnects.count, 1))]
            ),
            Finding(
                .restarts,
                "attempts that another server had to answer, of \(FigureUnit.count.text(Double(requests)))"
                    + Self.list(refusals),
                [Double(refused)],
                .count
            ),
            Finding(
                .restarts,
                "longest time until a send was acknowledged",
                longest(\.longestSend),
                .milliseconds,
                goal: Goal(.figure, .atMost, bar: 2_000, aim: 500)
            ),
            // The server that ends tells each to wait for up to 5 s.
            Finding(
                .restarts,
                "longest time without a stream",
                longest(\.longestSilence),
                .milliseconds,
                goal: Goal(.figure, .atMost, bar: 10_000, aim: 6_000)
            ),
        ]
    }

    private func findings(_ takeOver: TakeOver) -> [Finding] {
        func finding(_ what: String, _ seconds: Double) -> Finding {
            Finding(
                .restarts,
                what,
                [seconds * 1_000],
                .milliseconds,
                yardstick: .init("starting a process", [takeOver.start * 1_000], .milliseconds),
                goal: Goal(.figure, .atMost, bar: 5_000, aim: 2_000)
            )
        }
        return [
            finding("SIGTERM → the others have the projector's share", takeOver.ended),
            finding("SIGKILL → the others have the projector's share", takeOver.killed),
        ]
    }

    private static func list(_ refusals: [String: Int]) -> String {
        guard !refusals.isEmpty else { return "" }
        return " (" + refusals.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
            + ")"
    }
}
