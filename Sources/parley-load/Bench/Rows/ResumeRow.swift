/// How long a stream takes to come back in a large log: after many missed messages, which lie scattered among those of
/// others, and after none. From before the connection is made until all has come and the stream is ready.
struct ResumeRow: BenchRow {
    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let own = try await subject.crowd.groups(1, of: 3)[0]
        let comeback = Comeback(subject: subject, person: own.people[1])
        let start = try await comeback.resume(from: nil)
        let every = max(settings.logEvents / settings.missed, 1)
        let fill = LogFill(
            subject: subject,
            groups: try await subject.crowd.groups(settings.groups, of: 3),
            guest: (own, every)
        )
        try await fill.run("filling the log", messages: settings.missed * every)
        var back: [Streams.Resumed] = []
        for _ in 0..<settings.runs {
            let resumed = try await comeback.resume(from: start.cursor)
            guard resumed.messages == settings.missed else {
                throw APIFailure.unexpected(
                    request: "resume",
                    answer: "\(resumed.messages) messages of \(settings.missed) missed ones"
                )
            }
            back.append(resumed)
        }
        var idle: [Latencies] = []
        for _ in 0..<settings.runs { idle.append(try await comeback.idle(from: back[0].cursor)) }
        return findings(back, idle, log: settings.missed * every, missed: settings.missed)
    }

    private func count(_ number: Int) -> String { FigureUnit.count.text(Double(number)) }

    private func findings(_ back: [Streams.Resumed], _ idle: [Latencies], log: Int, missed: Int) -> [Finding] {
        [
            Finding(
                .resume,
                "after \(count(missed)) missed messages of one's own, in a log of \(count(log))",
                back.map { $0.seconds * 1000 },
                .milliseconds,
                goal: .init(.figure, .atMost, bar: 1000, aim: 300)
            ),
            Finding(
                .resume,
                "with nothing missed, p50 of \(Comeback.idleTimes)",
                idle.map { $0.percentile(50) },
                .milliseconds,
                goal: .init(.figure, .atMost, bar: 50, aim: 10)
            ),
            Finding(.resume, "the same, max", idle.map(\.max), .milliseconds),
        ]
    }
}
