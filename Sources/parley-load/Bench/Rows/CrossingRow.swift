/// What it adds that a stream is at another process than the one that took the send: both run all along, on one database.
struct CrossingRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        try await StagedProcesses.with([.serve, .serve], for: subject) { staged in
            let (settings, subject) = (staged.subject.settings, staged.subject)
            let groups = try await subject.crowd.groups(settings.groups, of: 3)
            let own = ScheduledSends(subject: subject, groups: groups)
            var crossing = own
            crossing.target = staged.processes[1].address
            // Until each knows that it is not alone.
            _ = try await crossing.run("warming up", rate: settings.rate, seconds: 2)
            var (other, same): ([OpenLoop.Result], [OpenLoop.Result]) = ([], [])
            let (figures, yardsticks) = try await subject.alternate("crossing") { label in
                other.append(
                    try await crossing.run("\(label): another", rate: settings.rate, seconds: settings.seconds)
                )
                return other.last?.deliveries.percentile(50) ?? 0
            } yardstick: { label in
                same.append(try await own.run("\(label): the same", rate: settings.rate, seconds: settings.seconds))
                return same.last?.deliveries.percentile(50) ?? 0
            }
            let what = "send at one process → SSE at another, at \(settings.rate)/s"
            return [
                Finding(
                    .crossing,
                    "\(what), p50",
                    figures,
                    .milliseconds,
                    yardstick: .init("at the same process, the other running", yardsticks, .milliseconds)
                ),
                Finding(
                    .crossing,
                    "what crossing adds at the median",
                    zip(figures, yardsticks).map { $0 - $1 },
                    .milliseconds,
                    goal: Goal(.figure, .atMost, bar: 2, aim: 1)
                ),
                Finding(
                    .crossing,
                    "\(what), p99",
                    other.map { $0.deliveries.percentile(99) },
                    .milliseconds,
                    yardstick: .init("the same", same.map { $0.deliveries.percentile(99) }, .milliseconds)
                ),
            ]
        }
    }
}
