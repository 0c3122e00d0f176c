/// The same sends against a bare Hummingbird route that only reads the body: what HTTP by itself lets through.
struct HTTPRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        try await subject.server.requireDurability()
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let sends = SaturatedSends(subject: subject, groups: groups)
        try await sends.warmUp()
        let (figures, yardsticks) = try await BareServer.with { bare in
            try await subject.alternate("http") { label in
                try await sends.run("\(label): Parley", seconds: settings.seconds).rate
            } yardstick: { label in
                try await sends.run("\(label): bare route", seconds: settings.seconds, on: bare.address).rate
            }
        }
        return [
            Finding(
                .http,
                "the same sends",
                figures,
                .perSecond,
                yardstick: .init("bare Hummingbird route, no database", yardsticks, .perSecond)
            )
        ]
    }
}
