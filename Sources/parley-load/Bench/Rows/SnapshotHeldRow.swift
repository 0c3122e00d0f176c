/// Sends while somebody else, say a backup, holds a snapshot, so that nothing of what is outdated can be removed. Judged
/// by the last quarter of the time: what decays does so little by little.
///
/// Minutes lie between what is compared, in which a shared machine may become twice as slow. So each window of sends has a
/// run of `pgbench` beside it, whose inserts a snapshot does not slow down, and what is compared is sends ÷ inserts.
struct SnapshotHeldRow: BenchRow {
    /// The time is cut into so many windows, each a run of its own.
    private static let windows = 12

    private struct Window {
        let sends: Double
        let inserts: Double

        var share: Double { inserts > 0 ? sends / inserts : 0 }
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        let groups = try await subject.crowd.groups(subject.settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        let seconds = max(Int(subject.settings.holdMinutes * 60 / Double(Self.windows)), 1)
        let insertSeconds = max(seconds / 3, 1)
        _ = try await sends.run("warming up", seconds: max(seconds / 2, 1))
        let inserts = try await SingleInserts.make(subject)
        func windows(_ name: String, _ count: Int) async throws -> [Window] {
            var windows: [Window] = []
            for number in 1...count {
                let label = "\(name) \(number)/\(count)"
                windows.append(
                    Window(
                        sends: try await sends.run(label, seconds: seconds).rate,
                        inserts: try await inserts.run("\(label): pgbench", seconds: insertSeconds)
                    )
                )
            }
            return windows
        }
        let quarter = Self.windows / 4
        let before = try await windows("before", quarter)
        let held = try await subject.server.withHeldSnapshot { try await windows("snapshot held", Self.windows) }
        let after = try await windows("after", quarter)
        try await inserts.remove()
        var details: [String: Double] = [:]
        for (number, window) in held.enumerated() {
            details["held, window \(number + 1), sends"] = window.sends
            details["held, window \(number + 1), inserts"] = window.inserts
        }
        return [
            Finding(
                .snapshotHeld,
                "sends ÷ pgbench, a snapshot held for \((seconds + insertSeconds) * Self.windows) s",
                held.suffix(quarter).map(\.share),
                .ratio,
                yardstick: .init(
                    "the same before and after",
                    zip(before, after).map { ($0.share + $1.share) / 2 },
                    .ratio
                ),
                goal: .init(.ratio, .atLeast, bar: 0.9, aim: 1),
                details: details
            )
        ]
    }
}
