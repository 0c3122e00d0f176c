/// The log grows by what others say; the figures are those of people with few things of their own. The server's memory
/// must not grow with it: what it keeps is bounded, so a rise from a million events to the next would be a leak.
struct LogGrowth: Growth {
    private static let sizes = [10_000, 100_000, 1_000_000, 10_000_000]
    private static let usualLimit = 1_000_000

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        let settings = subject.settings
        var curve = Curve(.log, "The log grows", axis: "events in the log")
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        let comeback = Comeback(subject: subject, person: groups[0].people[1])
        let history = "/v1/conversations/\(groups[0].id)/messages"
        for size in Self.sizes where size <= limit ?? (settings.quick ? settings.logEvents : Self.usualLimit) {
            let events = try await subject.server.projectedEvents()
            let fill = LogFill(subject: subject, groups: groups)
            try await fill.run("up to \(size) events", messages: max(size - events, 1))
            let label = "\(size) events"
            // Read before more is sent: the cursor is the present one.
            let now = try await comeback.resume(from: nil).cursor
            let resumes = try await comeback.idle(from: now)
            let list = try await subject.gets("/v1/conversations", by: comeback.person, "\(label): list")
            let page = try await subject.gets(history, by: comeback.person, "\(label): history")
            let result = try await sends.run("\(label): sends", seconds: settings.seconds)
            let memory = Double(try await ResidentMemory.read(subject.server)) / 1_048_576
            curve.add(
                size,
                [
                    .init("sends", result.rate, .perSecond),
                    .init("answer p50", result.latencies.percentile(50), .milliseconds),
                    .init("resume, nothing missed, p50", resumes.percentile(50), .milliseconds),
                    .init("conversation list p50", list.latencies.percentile(50), .milliseconds),
                    .init("history page p50", page.latencies.percentile(50), .milliseconds),
                    .init("server's memory", memory, .megabytes),
                ]
            )
        }
        return curve
    }
}
