/// From the time when a message is due until the streams of the other members have it.
struct LatencyRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let sends = ScheduledSends(subject: subject, groups: groups)
        var results: [OpenLoop.Result] = []
        for run in 1...settings.runs {
            let label = "latency \(run)/\(settings.runs)"
            results.append(try await sends.run(label, rate: settings.rate, seconds: settings.seconds))
        }
        var all = Latencies()
        for result in results { all.add(result.deliveries) }
        func finding(_ name: String, _ percent: Double, bar: Double, aim: Double) -> Finding {
            Finding(
                .latency,
                "send → SSE at \(settings.rate)/s, \(name)",
                results.map { $0.deliveries.percentile(percent) },
                .milliseconds,
                goal: Goal(.figure, .atMost, bar: bar, aim: aim),
                details: all.figures
            )
        }
        return [
            finding("p50", 50, bar: 3, aim: 1.5),
            finding("p99", 99, bar: 15, aim: 5),
            Finding(.latency, "the same, p99.9", results.map { $0.deliveries.percentile(99.9) }, .milliseconds),
            Finding(.latency, "the same, max", results.map(\.deliveries.max), .milliseconds),
            Finding(.latency, "its answer, p50", results.map { $0.answers.latencies.percentile(50) }, .milliseconds),
            Finding(.latency, "its answer, p99", results.map { $0.answers.latencies.percentile(99) }, .milliseconds),
        ]
    }
}
