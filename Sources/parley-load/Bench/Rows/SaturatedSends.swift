/// Sends as fast as they are answered, the connections spread over groups and their people.
struct SaturatedSends: Sendable {
    let subject: Subject
    let groups: [Crowd.Group]
    /// People of each group who send.
    var senders = 3

    /// - Parameter address: another server than Parley, which has no read models to wait for.
    func run(
        _ phase: String,
        seconds: Int,
        _ connections: Int? = nil,
        on address: ServerAddress? = nil
    ) async throws -> LoadResult {
        let count = connections ?? subject.settings.connections
        var plan = try await subject.crowd.sends(
            into: groups,
            connections: count,
            senders: senders,
            to: address ?? subject.server.address,
            textLength: subject.settings.textLength
        )
        if address != nil { plan.projectionRequests = nil }
        return try await subject.generator.withConnections(count, to: address ?? subject.server.address) { open in
            try await subject.drive(phase, plan, over: open, for: .seconds(seconds)).checked("send")
        }
    }

    /// Sends for a while, so that what is measured then finds everything warm.
    func warmUp() async throws {
        _ = try await run("warming up", seconds: max(subject.settings.seconds / 5, 1))
    }

    /// As ``run(_:seconds:_:on:)``, of what the read models are proven to hold.
    func proven(_ phase: String, seconds: Int) async throws -> LoadResult {
        try await subject.server.proving("sends") { try await run(phase, seconds: seconds) }
    }
}
