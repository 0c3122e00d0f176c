import NIOCore

/// All streams are cut at once while messages are sent, and come back from where they were: how long until all are there,
/// and what that costs the server in memory. They come back 1,000 in a second, and who is refused after the time that it is
/// told.
struct StormRow: BenchRow {
    private static let groupSize = 3
    private static let senders = 64

    func measure(_ subject: Subject) async throws -> [Finding] {
        let count = min(subject.settings.idleConnections, FileLimit.raise() - 200) / Self.groupSize * Self.groupSize
        let people = try await subject.crowd.people(count)
        let groups = try await subject.crowd.groups(
            stride(from: 0, to: count, by: Self.groupSize).map { Array(people[$0..<$0 + Self.groupSize]) }
        )
        var openings = try await subject.crowd.openings(people)
        let (cursors, before) = try await Streams.with(
            openings,
            to: subject.server.address,
            by: subject.generator
        ) { streams in
            (try await streams.state().cursors, try await ResidentMemory.read(subject.server))
        }
        for place in openings.indices { openings[place].cursor = cursors[place] }
        let cut = ContinuousClock.now
        let returning = openings
        let (storm, peak) = try await PeakMemory.during(subject.server) {
            let sends = Task { try await send(into: groups, subject) }
            defer { sends.cancel() }
            return try await Streams.with(
                returning,
                to: subject.server.address,
                by: subject.generator
            ) { streams in
                let seconds = (ContinuousClock.now - cut) / .seconds(1)
                let answers = try await sends.value
                return (seconds: seconds, state: try await streams.state(), answers: answers)
            }
        }
        guard storm.state.ends == 0 else {
            throw APIFailure.unexpected(request: "stream", answer: "\(storm.state.ends) were cut again")
        }
        let what = "\(FigureUnit.count.text(Double(count))) streams cut at once under \(subject.settings.rate) sends/s"
        return [
            Finding(.storm, "\(what): all are back, none cut again", [storm.seconds * 1_000], .milliseconds),
            Finding(.storm, "of them refused at first", [Double(storm.state.refusals)], .count),
            Finding(.storm, "peak above the memory with them open", [Double(peak - before) / 1_048_576], .megabytes),
            Finding(.storm, "the sends' answers meanwhile, p99", [storm.answers.percentile(99)], .milliseconds),
        ]
    }

    private func send(into groups: [Crowd.Group], _ subject: Subject) async throws -> Latencies {
        let (rate, seconds) = (subject.settings.rate, max(subject.settings.seconds, 20))
        let plan = try await subject.crowd.sends(
            into: groups,
            connections: min(Self.senders, groups.count),
            senders: 1,
            to: subject.server.address,
            textLength: subject.settings.textLength
        )
        return try await subject.generator.withConnections(plan.templates.count, to: subject.server.address) { open in
            let loop = OpenLoop(connections: open, plan: plan, rate: Double(rate), warmUp: 0, count: rate * seconds)
            return try await subject.drive("sending", loop).answers.latencies
        }
    }
}
