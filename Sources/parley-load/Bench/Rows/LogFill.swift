/// Fills the log with messages, as people would.
struct LogFill: Sendable {
    /// Sent at once before tokens are looked at again.
    private static let portion = 100_000

    let subject: Subject
    let groups: [Crowd.Group]
    /// A group that gets one of so many messages.
    var guest: (group: Crowd.Group, every: Int)?

    /// Sends so many messages, and returns when they are projected.
    func run(_ phase: String, messages: Int) async throws {
        let meter = LoadMeter()
        let subject = subject
        try await subject.progress.follow(phase, total: messages, meter: meter) {
            var left = messages
            while left > 0 {
                let plan = try await plan()
                let count = min(left, Self.portion)
                let connections = plan.templates.count
                _ = try await subject.generator.withConnections(connections, to: subject.server.address) { open in
                    try await ClosedLoop(connections: open, plan: plan)
                        .run(until: .afterRequests(count), meter: meter)
                        .checked("filling the log")
                }
                left -= count
            }
        }
    }

    private func plan() async throws -> RequestPlan {
        let settings = subject.settings
        var plan = try await subject.crowd.sends(
            into: groups,
            connections: settings.connections,
            to: subject.server.address,
            textLength: settings.textLength
        )
        if let guest {
            let template = Crowd.send(
                into: guest.group,
                token: try await subject.crowd.token(of: guest.group.people[0]),
                to: subject.server.address,
                textLength: settings.textLength
            )
            plan.interruption = (guest.every, template)
        }
        return plan
    }
}
