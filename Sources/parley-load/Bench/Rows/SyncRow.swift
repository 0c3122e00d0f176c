/// What the largest answers cost in memory: ten callers at once, each of whom asks for all of 10,000 long messages.
struct SyncRow: BenchRow {
    private static let callers = 10
    private static let groups = 50
    private static let textLength = 9_000
    private static let target = "/v1/sync?window=200&timelineLimit=200"

    func measure(_ subject: Subject) async throws -> [Finding] {
        let messages = subject.settings.quick ? 1_000 : 10_000
        let (caller, others) = (try await subject.crowd.people(1)[0], try await subject.crowd.people(2 * Self.groups))
        let groups = try await subject.crowd.groups(
            (0..<Self.groups).map { [others[2 * $0], others[2 * $0 + 1], caller] }
        )
        try await fill(groups, messages, subject)
        let template = RequestTemplate(
            "GET",
            Self.target,
            to: subject.server.address,
            token: try await subject.crowd.token(of: caller)
        )
        let before = try await ResidentMemory.read(subject.server)
        let (result, peak) = try await PeakMemory.during(subject.server) {
            try await subject.generator.withConnections(Self.callers, to: subject.server.address) { connections in
                try await subject.drive(
                    "asking",
                    RequestPlan(templates: Array(repeating: template, count: Self.callers)),
                    over: connections,
                    requests: 20 * Self.callers
                ).checked(Self.target)
            }
        }
        let what = "\(Self.callers) callers for \(FigureUnit.count.text(Double(messages))) messages of 9,000 characters"
        return [
            Finding(.sync, "\(what): peak above idle", [Double(peak - before) / 1_048_576], .megabytes),
            Finding(.sync, "their answers, p99", [result.latencies.percentile(99)], .milliseconds),
        ]
    }

    private func fill(_ groups: [Crowd.Group], _ messages: Int, _ subject: Subject) async throws {
        let plan = try await subject.crowd.sends(
            into: groups,
            connections: Self.groups,
            senders: 1,
            to: subject.server.address,
            textLength: Self.textLength
        )
        _ = try await subject.generator.withConnections(Self.groups, to: subject.server.address) { connections in
            try await subject.drive("filling", plan, over: connections, requests: messages).checked("filling")
        }
    }
}
