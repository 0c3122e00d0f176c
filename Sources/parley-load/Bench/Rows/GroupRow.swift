/// Whether a send costs more in a large group: nobody is connected, so only what every member costs by being one.
struct GroupRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let large = SaturatedSends(subject: subject, groups: try await subject.crowd.groups(settings.groups, of: 1000))
        let small = SaturatedSends(subject: subject, groups: try await subject.crowd.groups(settings.groups, of: 3))
        for sends in [large, small] { try await sends.warmUp() }
        let (figures, yardsticks) = try await subject.alternate("group-1000") { label in
            try await large.run("\(label): groups of 1,000", seconds: settings.seconds).rate
        } yardstick: { label in
            try await small.run("\(label): groups of 3", seconds: settings.seconds).rate
        }
        return [
            Finding(
                .groupOf1000,
                "durable sends in groups of 1,000, nobody connected",
                figures,
                .perSecond,
                yardstick: .init("the same in groups of 3", yardsticks, .perSecond),
                goal: .init(.ratio, .atLeast, bar: 0.7, aim: 0.95)
            )
        ]
    }
}
