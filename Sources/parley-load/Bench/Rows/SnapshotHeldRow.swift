/// Sends while somebody else, say a backup, holds a snapshot, so that nothing of what is outdated can be removed. Judged
/// by the last quarter of the time: what decays does so little by little.
struct SnapshotHeldRow: BenchRow {
    /// The time is cut into so many windows, each a run of its own.
    private static let windows = 12

    func measure(_ subject: Subject) async throws -> [Finding] {
        let groups = try await subject.crowd.groups(subject.settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        let seconds = max(Int(subject.settings.holdMinutes * 60 / Double(Self.windows)), 1)
        _ = try await sends.run("warming up", seconds: max(seconds / 2, 1))
        func rates(_ name: String, _ count: Int) async throws -> [Double] {
            var rates: [Double] = []
            for window in 1...count {
                rates.append(try await sends.run("\(name) \(window)/\(count)", seconds: seconds).rate)
            }
            return rates
        }
        let quarter = Self.windows / 4
        let before = try await rates("before", quarter)
        let held = try await subject.server.withHeldSnapshot { try await rates("snapshot held", Self.windows) }
        let after = try await rates("after", quarter)
        var details: [String: Double] = [:]
        for (number, rate) in held.enumerated() { details["held, window \(number + 1)"] = rate }
        return [
            Finding(
                .snapshotHeld,
                "durable sends, a snapshot held for \(seconds * Self.windows) s",
                Array(held.suffix(quarter)),
                .perSecond,
                yardstick: .init("before and after", zip(before, after).map { ($0 + $1) / 2 }, .perSecond),
                goal: .init(.ratio, .atLeast, bar: 0.9, aim: 1),
                details: details
            )
        ]
    }
}
