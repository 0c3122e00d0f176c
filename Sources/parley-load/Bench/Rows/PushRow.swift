import Foundation
import ParleyWire
import Postgres

/// From the acceptance of a message until a push service has taken its notification; and what it costs sends that somebody is
/// told of each.
struct PushRow: BenchRow {
    /// Messages, and so notifications, per second: each is in a conversation of its own.
    private static let rate = 200
    private static let people = 100
    /// Longer than any notification waits that is not lost.
    private static let patience = Duration.seconds(60)

    func measure(_ subject: Subject) async throws -> [Finding] {
        guard let own = subject.server.own else {
            throw Unmeasurable("starts servers of its own: leave --server out")
        }
        return try await PushService.with { service in
            let staged = try StagedServer(
                program: own.program,
                parent: own.parent,
                scryptCost: Bench.cheapHashing,
                environment: service.environment
            )
            return try await staged.with { server in
                let pushing = subject.at(server)
                return try await latencies(pushing) + [try await sends(pushing, subject)]
            }
        }
    }

    // MARK: Latency

    private func latencies(_ subject: Subject) async throws -> [Finding] {
        let senders = try await subject.crowd.people(Self.people)
        let recipients = try await subject.crowd.people(Self.people)
        try await register(recipients, subject)
        try await forgetActivity(subject)
        var runs: [Percentiles] = []
        for run in 1...subject.settings.runs {
            let label = "push \(run)/\(subject.settings.runs)"
            runs.append(try await latency(label, from: senders, to: recipients, subject))
        }
        func finding(_ name: String, _ value: (Percentiles) -> Double, goal: Goal? = nil) -> Finding {
            Finding(.push, "commit → accepted at \(Self.rate)/s, \(name)", runs.map(value), .milliseconds, goal: goal)
        }
        return [
            finding("p50", \.p50), finding("p99", \.p99, goal: Goal(.figure, .atMost, bar: 2_000, aim: 200)),
            finding("max", \.max),
        ]
    }

    /// As the server's timeline has it, in milliseconds.
    private struct Percentiles {
        let p50: Double
        let p99: Double
        let max: Double
    }

    private func latency(
        _ label: String,
        from senders: [Crowd.Person],
        to recipients: [Crowd.Person],
        _ subject: Subject
    ) async throws -> Percentiles {
        let count = Self.rate * subject.settings.seconds
        let groups = try await subject.crowd.groups(
            (0..<count).map { number in
                // The third has no device.
                [
                    senders[number % senders.count], recipients[number / senders.count % recipients.count],
                    senders[(number + 1) % senders.count],
                ]
            }
        )
        let before = try await accepted(subject)
        subject.progress.note("\(label): \(count) messages at \(Self.rate)/s")
        try await say(in: groups, subject)
        try await demand(count, since: before, label, subject)
        return try await subject.server.withDatabase { connection in
            let rows = try await connection.query(
                """
                SELECT percentile_disc(ARRAY[0.5, 0.99, 1.0]) WITHIN GROUP (ORDER BY o.milliseconds)::bigint[] AS found
                FROM (SELECT milliseconds FROM parley.push_outcomes WHERE outcome = 'accepted' ORDER BY at DESC
                    LIMIT \(Int64(count))) o
                """
            )
            let found: [Int64] = try rows.first?.decode("found") ?? []
            guard found.count == 3 else { throw Unmeasurable("nothing was sent") }
            return Percentiles(p50: Double(found[0]), p99: Double(found[1]), max: Double(found[2]))
        }
    }

    /// Each at its time, however long those before take.
    private func say(in groups: [Crowd.Group], _ subject: Subject) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, group) in groups.enumerated() {
                try await Task.sleep(until: start + .seconds(Double(number) / Double(Self.rate)), clock: .continuous)
                tasks.addTask {
                    _ = try await subject.crowd.say("A message of the bench", in: group, by: group.people[0])
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// Waits until the service has taken so many: what is measured without that says nothing of notifications.
    private func demand(_ count: Int, since before: Int, _ label: String, _ subject: Subject) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await accepted(subject) < before + count {
            guard ContinuousClock.now < deadline else {
                let answer = "\(try await accepted(subject) - before) of \(count) notifications were taken"
                throw APIFailure.unexpected(request: label, answer: answer)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func accepted(_ subject: Subject) async throws -> Int {
        try await subject.server.withDatabase { connection in
            let rows = try await connection.query(
                "SELECT count(*) FROM parley.push_outcomes WHERE outcome = 'accepted' AND kind = 'alert'"
            )
            return try rows.first?.decode(0) ?? 0
        }
    }

    /// Who has just registered a device is at it, and told later.
    private func forgetActivity(_ subject: Subject) async throws {
        // Longer than the server keeps it in memory.
        try await Task.sleep(for: .seconds(4))
        try await subject.server.withDatabase { _ = try await $0.execute("UPDATE parley.devices SET active_at = NULL") }
    }

    private func register(_ people: [Crowd.Person], _ subject: Subject) async throws {
        _ = try await concurrentMap(people, width: Crowd.width) { person in
            let device = PutDeviceRequest(platform: .fcm, token: "bench-\(person.id)")
            try await person.account.perform("register a device", .put("/v1/devices/\(FreshIDs.make())", device))
        }
    }

    // MARK: Sends

    private func sends(_ pushing: Subject, _ plain: Subject) async throws -> Finding {
        let settings = plain.settings
        let pushedGroups = try await pushing.crowd.groups(settings.groups, of: 3)
        try await register(pushedGroups.flatMap(\.people), pushing)
        let plainGroups = try await plain.crowd.groups(settings.groups, of: 3)
        let (figure, yardstick) = (
            SaturatedSends(subject: pushing, groups: pushedGroups), SaturatedSends(subject: plain, groups: plainGroups)
        )
        let before = try await accepted(pushing)
        try await figure.warmUp()
        try await yardstick.warmUp()
        let (figures, yardsticks) = try await plain.alternate("push") { label in
            try await figure.run("\(label): everybody has a device", seconds: settings.seconds).rate
        } yardstick: { label in
            try await yardstick.run("\(label): no push service", seconds: settings.seconds).rate
        }
        // The first ones are held for five seconds: whoever sends is doing something.
        try await demand(1, since: before, "sends where everybody has a device", pushing)
        return Finding(
            .push,
            "durable sends where everybody is pushed to",
            figures,
            .perSecond,
            yardstick: .init("the same, without a push service", yardsticks, .perSecond),
            goal: Goal(.ratio, .atLeast, bar: 0.9, aim: 1)
        )
    }
}
