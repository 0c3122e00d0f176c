/// Two processes on one group of 10,000 members, sends and receipts crosswise, against one process with the same load:
/// neither may starve the other, and what they meet each other for must not cost too much.
struct ConflictRow: BenchRow {
    private static let members = 10_000
    private static let connections = 32

    private struct Run {
        let halves: [LoadResult]
        var rate: Double { halves.reduce(0) { $0 + $1.rate } }
        var p99: Double { halves.map { $0.latencies.percentile(99) }.max() ?? 0 }
        /// The slower half's rate ÷ the faster one's.
        var evenness: Double {
            let rates = halves.map(\.rate)
            return (rates.min() ?? 0) / max(rates.max() ?? 0, 1)
        }
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        let size = subject.settings.quick ? 1_000 : Self.members
        let group = try await subject.crowd.groups(1, of: size)[0]
        return try await StagedServer.withSecond(beside: subject.server) { second in
            let (first, second) = (subject.server.address, second)
            _ = try await run("warming up", subject, group, [first, second], seconds: 1)
            var runs: [Run] = []
            let (figures, yardsticks) = try await subject.alternate("conflicts") { label in
                let seconds = subject.settings.seconds
                let run = try await run("\(label): two processes", subject, group, [first, second], seconds: seconds)
                runs.append(run)
                return run.rate
            } yardstick: { label in
                let seconds = subject.settings.seconds
                return try await run("\(label): one process", subject, group, [first, first], seconds: seconds).rate
            }
            return [
                Finding(
                    .conflicts,
                    "two processes, one group of \(size), sends and receipts crosswise",
                    figures,
                    .perSecond,
                    yardstick: .init("one process, the same load", yardsticks, .perSecond),
                    goal: .init(.ratio, .atLeast, bar: 0.7, aim: 0.9)
                ),
                Finding(.conflicts, "the slower process ÷ the faster one", runs.map(\.evenness), .ratio),
                Finding(.conflicts, "their answers, p99", runs.map(\.p99), .milliseconds),
            ]
        }
    }

    /// Half of the connections on each address; in each half every second one sends, and the others read up to the head.
    private func run(
        _ phase: String,
        _ subject: Subject,
        _ group: Crowd.Group,
        _ addresses: [ServerAddress],
        seconds: Int
    ) async throws -> Run {
        let halves = try await concurrentMap(Array(addresses.enumerated()), width: addresses.count) { half, address in
            let plan = try await plan(subject, group, half, address)
            return try await subject.generator.withConnections(Self.connections, to: address) { open in
                // Only one of them shows how far it is.
                guard half > 0 else {
                    return try await subject.drive(phase, plan, over: open, for: .seconds(seconds)).checked("send")
                }
                return try await ClosedLoop(connections: open, plan: plan).run(until: .after(.seconds(seconds)))
                    .checked("send")
            }
        }
        return Run(halves: halves)
    }

    private func plan(
        _ subject: Subject,
        _ group: Crowd.Group,
        _ half: Int,
        _ address: ServerAddress
    ) async throws -> RequestPlan {
        var templates: [RequestTemplate] = []
        for connection in 0..<Self.connections {
            let person = group.people[(half * Self.connections + connection) % group.people.count]
            let token = try await subject.crowd.token(of: person)
            if connection.isMultiple(of: 2) {
                let length = subject.settings.textLength
                templates.append(Crowd.send(into: group, token: token, to: address, textLength: length))
            } else {
                templates.append(
                    RequestTemplate(
                        "POST",
                        "/v1/receipts",
                        to: address,
                        token: token,
                        json: #"{"receipts":[{"conversationId":"\#(group.id)","readSeq":{counter}}]}"#
                    )
                )
            }
        }
        return RequestPlan(templates: templates, success: [200, 201])
    }
}
