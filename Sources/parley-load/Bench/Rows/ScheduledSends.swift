/// Sends on schedule into groups of three: the first person of each sends, the streams of the two others listen.
struct ScheduledSends: Sendable {
    private static let warmUpSeconds = 3

    let subject: Subject
    let groups: [Crowd.Group]
    /// Each with one request under way: more where the rate is near the highest, since what waits for a connection waits for
    /// nothing of the server's.
    var connections = 64
    /// The process that takes the sends; that of the streams where nil.
    var target: ServerAddress?

    func withStreams<Value>(_ body: (Streams) async throws -> Value) async throws -> Value {
        let openings = try await subject.crowd.openings(groups.flatMap { $0.people.dropFirst() })
        return try await Streams.with(openings, to: subject.server.address, by: subject.generator, body)
    }

    func run(_ phase: String, rate: Int, seconds: Int) async throws -> OpenLoop.Result {
        let plan = try await subject.crowd.sends(
            into: groups,
            connections: connections,
            senders: 1,
            to: target ?? subject.server.address,
            textLength: subject.settings.textLength
        )
        return try await withStreams { streams in
            try await subject.generator.withConnections(connections, to: target ?? subject.server.address) { open in
                let loop = OpenLoop(
                    connections: open,
                    plan: plan,
                    rate: Double(rate),
                    warmUp: rate * Self.warmUpSeconds,
                    count: rate * seconds
                )
                return try await subject.drive(phase, loop, streams: streams, receivers: 2)
            }
        }
    }
}
