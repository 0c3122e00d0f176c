/// Groups grow; nobody is connected, so that a send costs only what members cost by being there.
struct GroupGrowth: Growth {
    private static let sizes = [2, 50, 1000, 10_000]
    private static let groups = 8

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        var curve = Curve(.groups, "Groups grow", axis: "members")
        for size in Self.sizes where size <= limit ?? (subject.settings.quick ? 1000 : 10_000) {
            let groups =
                size == 2
                ? try await subject.crowd.pairs(Self.groups) : try await subject.crowd.groups(Self.groups, of: size)
            let sends = SaturatedSends(subject: subject, groups: groups)
            try await sends.warmUp()
            let result = try await sends.run("groups of \(size)", seconds: subject.settings.seconds)
            curve.add(
                size,
                [
                    .init("sends", result.rate, .perSecond),
                    .init("answer p50", result.latencies.percentile(50), .milliseconds),
                    .init("answer p99", result.latencies.percentile(99), .milliseconds),
                ]
            )
        }
        return curve
    }
}
