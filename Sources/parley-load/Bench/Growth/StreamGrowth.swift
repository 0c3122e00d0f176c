/// More and more people have a stream open and are told nothing, while a few talk.
struct StreamGrowth: Growth {
    private static let sizes = [0, 1000, 9000]
    private static let groupSize = 50
    /// Connections beside the idle streams.
    private static let others = 200

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        let allowed = max(FileLimit.raise() - Self.others, 0)
        let most = min(limit ?? (subject.settings.quick ? 1000 : 9000), allowed)
        var curve = Curve(.streams, "Idle streams grow", axis: "open idle streams", isLogarithmic: false)
        let talking = try await subject.crowd.groups(subject.settings.groups, of: 3)
        let idle = try await subject.crowd.people(most)
        let members = stride(from: 0, to: most / Self.groupSize * Self.groupSize, by: Self.groupSize).map {
            Array(idle[$0..<($0 + Self.groupSize)])
        }
        _ = try await subject.crowd.groups(members)
        for size in Self.sizes.map({ min($0, most) }) where size > Int(curve.points.last?.size ?? -1) {
            let openings = try await subject.crowd.openings(Array(idle.prefix(size)))
            subject.progress.note("opening \(size) streams")
            let figures = try await Streams.with(openings, to: subject.server.address, by: subject.generator) { _ in
                try await measure(subject, talking, "\(size) idle streams")
            }
            curve.add(size, figures)
        }
        return curve
    }

    private func measure(
        _ subject: Subject,
        _ groups: [Crowd.Group],
        _ label: String
    ) async throws -> [Curve.Figure] {
        let settings = subject.settings
        let sends = SaturatedSends(subject: subject, groups: groups)
        try await sends.warmUp()
        let rate = try await sends.run("\(label): sends", seconds: settings.seconds).rate
        let scheduled = ScheduledSends(subject: subject, groups: groups)
        let result = try await scheduled.run("\(label): latency", rate: settings.rate, seconds: settings.seconds)
        return [
            .init("sends", rate, .perSecond),
            .init("send → SSE at \(settings.rate)/s, p50", result.deliveries.percentile(50), .milliseconds),
            .init("send → SSE at \(settings.rate)/s, p99", result.deliveries.percentile(99), .milliseconds),
        ]
    }
}
