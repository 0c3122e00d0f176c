/// A foreign snapshot is held for longer and longer.
struct SnapshotGrowth: Growth {
    private static let window = 30

    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve {
        let settings = subject.settings
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        let total = Int(settings.holdMinutes * 60)
        let window = max(min(Self.window, total / 4), 1)
        var curve = Curve(
            .snapshot,
            "A snapshot is held (0 s: before)",
            axis: "seconds held",
            isLogarithmic: false
        )
        try await sends.warmUp()
        curve.add(0, [.init("sends", try await sends.run("before", seconds: window).rate, .perSecond)])
        let rates = try await subject.server.withHeldSnapshot {
            var rates: [Double] = []
            while rates.count * window < total {
                let label = "held for \((rates.count + 1) * window) of \(total) s"
                rates.append(try await sends.run(label, seconds: window).rate)
            }
            return rates
        }
        for (number, rate) in rates.enumerated() {
            curve.add((number + 1) * window, [.init("sends", rate, .perSecond)])
        }
        return curve
    }
}
