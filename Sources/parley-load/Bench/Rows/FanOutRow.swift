/// One message to a thousand connected members: how long until the last of them has it. The reading of a thousand sockets
/// by the load generator, on the same cores, is in the figure.
struct FanOutRow: BenchRow {
    private static let members = 1000
    private static let messages = 20

    func measure(_ subject: Subject) async throws -> [Finding] {
        FileLimit.raise()
        let (settings, address) = (subject.settings, subject.server.address)
        let group = try await subject.crowd.groups(1, of: Self.members)[0]
        let template = Crowd.send(
            into: group,
            token: try await subject.crowd.token(of: group.people[0]),
            to: address,
            textLength: settings.textLength
        )
        let openings = try await subject.crowd.openings(group.people)
        let runs = try await Streams.with(openings, to: address, by: subject.generator) { streams in
            try await subject.generator.withConnections(1, to: address) { connection in
                let fanOut = FanOut(connection: connection, templates: [template], streams: streams)
                _ = try await fanOut.run(messages: 3, meter: LoadMeter())
                var runs: [[Double]] = []
                for run in 1...settings.runs {
                    let meter = LoadMeter()
                    runs.append(
                        try await subject.progress.follow("fan-out \(run)", total: Self.messages, meter: meter) {
                            try await fanOut.run(messages: Self.messages, meter: meter)
                        }
                    )
                }
                return runs
            }
        }
        let goal = Goal(.figure, .atMost, bar: 100, aim: 30)
        return [
            Finding(
                .fanOut,
                "one message to 1,000 connected members, median of \(Self.messages)",
                runs.map(Statistics.median),
                .milliseconds,
                goal: goal
            ),
            Finding(.fanOut, "the same, the slowest", runs.map { $0.max() ?? 0 }, .milliseconds, goal: goal),
        ]
    }
}
