/// Durable sends per second over HTTP, until they are projected, against what PostgreSQL does with single inserts of the
/// same rows.
struct SendsRow: BenchRow {
    /// Also tried once each, to show that the number of connections was not picked for its figure.
    private static let otherConnections = [32, 128]

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        try await subject.server.requireDurability()
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        try await sends.warmUp()
        let inserts = try await SingleInserts.make(subject)
        var results: [LoadResult] = []
        let (figures, yardsticks) = try await subject.alternate("sends") { label in
            results.append(try await sends.proven("\(label): Parley", seconds: settings.seconds))
            return results.last?.rate ?? 0
        } yardstick: { label in
            try await inserts.run("\(label): pgbench", seconds: settings.seconds)
        }
        try await inserts.remove()
        var findings = [
            Finding(
                .sends,
                "durable sends, \(settings.groups) groups of 3, \(settings.connections) connections",
                figures,
                .perSecond,
                yardstick: .init("pgbench, 32 clients, single inserts of such rows", yardsticks, .perSecond),
                goal: .init(.ratio, .atLeast, bar: 0.6, aim: 1),
                details: ["load generator, µs of a core per send": Statistics.median(results.map(\.generatorCost))]
            ),
            Finding(.sends, "their answers, p50", results.map { $0.latencies.percentile(50) }, .milliseconds),
            Finding(.sends, "their answers, p99", results.map { $0.latencies.percentile(99) }, .milliseconds),
        ]
        for connections in Self.otherConnections where connections != settings.connections && !settings.quick {
            let rate = try await sends.run("\(connections) connections", seconds: settings.seconds, connections).rate
            findings.append(Finding(.sends, "the same, \(connections) connections", [rate], .perSecond))
        }
        return findings
    }
}
