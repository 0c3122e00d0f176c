/// The rate grows up to what the server can do: latency of the answers and of the streams, counted from when each message
/// was due.
struct RateGrowth: Growth {
    private static let percents = [10, 50, 80, 95]

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        let settings = subject.settings
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let scheduled = ScheduledSends(subject: subject, groups: groups, connections: settings.connections)
        // With the same streams open as later, so that the highest rate includes what they cost.
        let highest = try await scheduled.withStreams { _ in
            let sends = SaturatedSends(subject: subject, groups: groups)
            try await sends.warmUp()
            return try await sends.run("the highest rate", seconds: settings.seconds).rate
        }
        var curve = Curve(
            .rate,
            "The rate grows: 10, 50, 80 and 95 % of \(FigureUnit.perSecond.text(highest))",
            axis: "messages per second",
            isLogarithmic: false
        )
        for percent in Self.percents {
            let rate = max(Int(highest) * percent / 100, 1)
            let result = try await scheduled.run("\(percent) %: \(rate)/s", rate: rate, seconds: settings.seconds)
            let (answers, deliveries) = (result.answers.latencies, result.deliveries)
            curve.add(
                rate,
                [
                    .init("answer p50", answers.percentile(50), .milliseconds),
                    .init("answer p99", answers.percentile(99), .milliseconds),
                    .init("send → SSE p50", deliveries.percentile(50), .milliseconds),
                    .init("send → SSE p99", deliveries.percentile(99), .milliseconds),
                    .init("send → SSE p99.9", deliveries.percentile(99.9), .milliseconds),
                ]
            )
        }
        return curve
    }
}
