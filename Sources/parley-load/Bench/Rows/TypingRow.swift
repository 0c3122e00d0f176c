/// Some of a group of 1,000 type, who are all connected: how long until the last of the others is told, beside a message to the
/// same streams, and what it costs the server to tell one of them.
struct TypingRow: BenchRow {
    private static let members = 1000
    private static let times = 20
    /// A little less often than is published.
    private static let interval = 2.5

    func measure(_ subject: Subject) async throws -> [Finding] {
        FileLimit.raise()
        let group = try await subject.crowd.groups(1, of: Self.members)[0]
        let openings = try await subject.crowd.openings(group.people)
        return try await Streams.with(openings, to: subject.server.address, by: subject.generator) { streams in
            let (typing, messages) = try await fanOut(subject, group, streams)
            let (received, cost) = try await type(subject, group, streams)
            return [
                Finding(
                    .typing,
                    "somebody types in a group of 1,000, until all others are told",
                    typing,
                    .milliseconds,
                    yardstick: .init("a message, until all have it", messages, .milliseconds)
                ),
                Finding(.typing, "\(subject.settings.typists) of 1,000 type, told of it", [received], .perSecond),
                Finding(.typing, "the server's CPU for each that is told", [cost], .microseconds),
            ]
        }
    }

    private func fanOut(
        _ subject: Subject,
        _ group: Crowd.Group,
        _ streams: Streams
    ) async throws -> (typing: [Double], messages: [Double]) {
        let address = subject.server.address
        let token = try await subject.crowd.token(of: group.people[0])
        let message = Crowd.send(
            into: group,
            token: token,
            to: address,
            textLength: subject.settings.textLength
        )
        // A person's typing is published every 2 s at most, so that each turn needs another person.
        let typists = try await concurrentMap(Array(group.people.prefix(Self.times + 1)), width: 8) { person in
            let token = try await subject.crowd.token(of: person)
            return [true, false].map { Self.says($0, in: group, token: token, to: address) }
        }
        return try await subject.generator.withConnections(1, to: address) { connection in
            let warmUp = FanOut(connection: connection, templates: typists[0], streams: streams, kind: .typing)
            let typing = FanOut(
                connection: connection,
                templates: typists.dropFirst().flatMap(\.self),
                streams: streams,
                kind: .typing
            )
            let messages = FanOut(connection: connection, templates: [message], streams: streams)
            _ = try await warmUp.run(messages: 2, meter: LoadMeter())
            let (times, meter) = (Self.times, LoadMeter())
            let (figures, yardsticks) = try await subject.alternate("typing") { label in
                try await subject.progress.follow("\(label): typing", total: times, meter: meter) {
                    Statistics.median(try await typing.run(messages: times, meter: meter))
                }
            } yardstick: { label in
                try await subject.progress.follow("\(label): messages", total: times, meter: meter) {
                    Statistics.median(try await messages.run(messages: times, meter: meter))
                }
            }
            return (figures, yardsticks)
        }
    }

    /// - Returns: how many receive it per second, and microseconds of the server for each.
    private func type(
        _ subject: Subject,
        _ group: Crowd.Group,
        _ streams: Streams
    ) async throws -> (received: Double, cost: Double) {
        guard let pid = subject.server.pid else { throw Unmeasurable("needs the server's process: --pid") }
        let (address, settings) = (subject.server.address, subject.settings)
        let templates = try await concurrentMap(Array(group.people.prefix(settings.typists)), width: 8) { person in
            Self.says(true, in: group, token: try await subject.crowd.token(of: person), to: address)
        }
        let count = Int(Double(settings.seconds) / Self.interval + 1) * templates.count
        return try await subject.generator.withConnections(templates.count, to: address) { open in
            let (before, used) = (try await streams.received().typings, try ProcessorTime.of(process: pid))
            let loop = OpenLoop(
                connections: open,
                plan: RequestPlan(templates: templates, success: [202]),
                rate: Double(templates.count) / Self.interval,
                warmUp: 0,
                count: count
            )
            let result = try await subject.drive("\(settings.typists) type", loop)
            let expected = count * (Self.members - 1)
            var (received, last) = (0, -1)
            while received < expected, received > last {
                try await Task.sleep(for: .seconds(1))
                (received, last) = (try await streams.received().typings - before, received)
            }
            // Who types a moment too early, as the machine stood still meanwhile, is not told of; more than that is lost.
            guard received >= expected * 9 / 10 else {
                throw APIFailure.unexpected(request: "typing", answer: "told \(received) times of \(expected)")
            }
            let cost = try ProcessorTime.of(process: pid) - used
            return (Double(received) / result.answers.answering, cost / Double(received) * 1e6)
        }
    }

    private static func says(
        _ isTyping: Bool,
        in group: Crowd.Group,
        token: String,
        to address: ServerAddress
    ) -> RequestTemplate {
        RequestTemplate(
            "POST",
            "/v1/conversations/\(group.id)/typing",
            to: address,
            token: token,
            json: #"{"typing":\#(isTyping)}"#
        )
    }
}
