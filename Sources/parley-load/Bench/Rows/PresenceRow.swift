import ParleyWire

/// Everybody signs on at once, each watching so many others: what that costs the server, beside the same streams without
/// anybody watched, how many events it takes, and how long until all know of all whom they watch.
struct PresenceRow: BenchRow {
    /// What its server lets in. Of the 28,000 ports that Linux has for connections to one address, those of the first wave may
    /// still be taken in the second one.
    private static let connections = 11_000
    /// Besides those who sign on, as many connections as prepare it.
    private static let others = 100
    /// Longer than anybody is waited for.
    private static let grace = Duration.seconds(35)
    private static let patience = Duration.seconds(300)
    private static let changes = 20

    private struct Wave {
        let seconds: Double
        let processor: Double
        let events: Int
        let changes: [Double]
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        guard let own = subject.server.own else {
            throw Unmeasurable("starts a server of its own, which lets in more: leave --server out")
        }
        let staged = try StagedServer(like: own, lettingIn: Self.connections)
        return try await staged.with { server in try await signOns(subject.at(server)) }
    }

    private func signOns(_ subject: Subject) async throws -> [Finding] {
        guard let pid = subject.server.pid else { throw Unmeasurable("needs the server's process") }
        let size = subject.settings.watched + 1
        let allowed = min(Self.connections - Self.others, FileLimit.raise())
        let count = min(subject.settings.present, allowed) / size * size
        guard count > 0 else { throw Unmeasurable("--present must be more than --watched") }
        if count < subject.settings.present { subject.progress.note("only \(count) sign on, in groups of \(size)") }
        let people = try await subject.crowd.people(count)
        let groups = try await subject.crowd.groups(
            stride(from: 0, to: count, by: size).map { Array(people[$0..<$0 + size]) }
        )
        let openings = try await subject.crowd.openings(people)
        let without = try await wave(subject, openings, groups, pid, watched: 0)
        try await watch(groups, subject)
        subject.progress.note("waiting until nobody is there any more")
        try await Task.sleep(for: Self.grace)
        let with = try await wave(subject, openings, groups, pid, watched: size - 1)
        let what = "\(FigureUnit.count.text(Double(count))) sign on, each watching \(size - 1)"
        let extra = max(with.processor - without.processor, 0)
        return [
            Finding(
                .presence,
                "\(what): the server's CPU",
                [with.processor],
                .seconds,
                yardstick: .init("the same streams, nobody watched", [without.processor], .seconds)
            ),
            Finding(
                .presence,
                "until all know of all whom they watch",
                [with.seconds],
                .seconds,
                yardstick: .init("until all streams are open, nobody watched", [without.seconds], .seconds)
            ),
            Finding(.presence, "events for it", [Double(with.events)], .count),
            Finding(.presence, "the server's CPU for each", [extra / Double(max(with.events, 1)) * 1e6], .microseconds),
            Finding(
                .presence,
                "then one goes away: until all \(size - 1) know, median of \(Self.changes)",
                [Statistics.median(with.changes)],
                .milliseconds
            ),
        ]
    }

    /// Everybody asks for all others of the own group.
    private func watch(_ groups: [Crowd.Group], _ subject: Subject) async throws {
        subject.progress.begin("subscribing", total: groups.reduce(0) { $0 + $1.people.count })
        defer { subject.progress.end() }
        for group in groups {
            _ = try await concurrentMap(group.people, width: Crowd.width) { person in
                let others = group.people.map(\.id).filter { $0 != person.id }
                let request = try APIRequest.put("/v1/presence/subscriptions", ["userIds": others])
                try await person.account.perform("subscribe", request)
                subject.progress.advance()
            }
        }
    }

    private func wave(
        _ subject: Subject,
        _ openings: [Streams.Opening],
        _ groups: [Crowd.Group],
        _ pid: Int32,
        watched: Int
    ) async throws -> Wave {
        subject.progress.note("\(openings.count) sign on, each watching \(watched)")
        let (start, before) = (ContinuousClock.now, try ProcessorTime.of(process: pid))
        return try await Streams.with(openings, to: subject.server.address, by: subject.generator) { streams in
            var received = try await streams.received()
            while received.fewestPresent < watched {
                guard ContinuousClock.now - start < Self.patience else {
                    let answer = "somebody was told of \(received.fewestPresent) of \(watched)"
                    throw APIFailure.unexpected(request: "presence", answer: answer)
                }
                try await Task.sleep(for: .milliseconds(100))
                received = try await streams.received()
            }
            let seconds = (ContinuousClock.now - start).seconds
            let processor = try ProcessorTime.of(process: pid) - before
            let changes = watched > 0 ? try await change(groups, streams, watched) : []
            return Wave(seconds: seconds, processor: processor, events: received.presences, changes: changes)
        }
    }

    /// One after the other goes away: milliseconds until all who watch have received it.
    private func change(_ groups: [Crowd.Group], _ streams: Streams, _ watched: Int) async throws -> [Double] {
        var times: [Double] = []
        for number in 0..<Self.changes {
            let group = groups[number % groups.count]
            let person = group.people[number / groups.count % group.people.count]
            let before = try await quiet(streams)
            let start = ContinuousClock.now
            try await person.account.perform("away", .put("/v1/me/presence", ["status": "away"]))
            while try await streams.received().presences < before + watched {
                guard ContinuousClock.now - start < Self.patience else {
                    throw APIFailure.unexpected(request: "away", answer: "not all were told")
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            times.append((ContinuousClock.now - start).seconds * 1_000)
        }
        return times
    }

    /// Waits until nothing has been received for a while, and says how often something was until then.
    private func quiet(_ streams: Streams) async throws -> Int {
        while true {
            let received = try await streams.received().presences
            try await Task.sleep(for: .seconds(1))
            if try await streams.received().presences == received { return received }
        }
    }
}
