/// Durable edits, or reactions, per second over HTTP, until they are projected, against what PostgreSQL does with single
/// inserts of rows of the log.
///
/// Each connection has a message of its own, and changes it again and again.
struct MessageChangesRow: BenchRow {
    enum Change: Sendable {
        case edits
        /// Each is given, and taken back.
        case reactions
    }

    let change: Change

    private static let emoji = "%F0%9F%91%8D"

    private var name: RowName {
        switch change {
        case .edits: .edits
        case .reactions: .reactions
        }
    }

    private var what: String {
        switch change {
        case .edits: "durable edits"
        case .reactions: "durable reactions, given and taken back in turn"
        }
    }

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        try await subject.server.requireDurability()
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let messages = try await messages(in: groups, subject)
        _ = try await run("warming up", messages, subject, seconds: max(settings.seconds / 5, 1))
        let inserts = try await SingleInserts.make(subject)
        var results: [LoadResult] = []
        let (figures, yardsticks) = try await subject.alternate(name.rawValue) { label in
            let result = try await subject.server.proving(name.rawValue) {
                try await run("\(label): Parley", messages, subject, seconds: settings.seconds)
            }
            results.append(result)
            return result.rate
        } yardstick: { label in
            try await inserts.run("\(label): pgbench", seconds: settings.seconds)
        }
        try await inserts.remove()
        return [
            Finding(
                name,
                "\(what), \(settings.groups) groups of 3, \(settings.connections) connections",
                figures,
                .perSecond,
                yardstick: .init("pgbench, 32 clients, single inserts of rows of the log", yardsticks, .perSecond)
            ),
            Finding(name, "their answers, p50", results.map { $0.latencies.percentile(50) }, .milliseconds),
            Finding(name, "their answers, p99", results.map { $0.latencies.percentile(99) }, .milliseconds),
        ]
    }

    private struct Target: Sendable {
        let path: String
        let author: Crowd.Person
    }

    /// One for each connection, spread over the groups and their people.
    private func messages(in groups: [Crowd.Group], _ subject: Subject) async throws -> [Target] {
        try await concurrentMap(Array(0..<subject.settings.connections), width: Crowd.width) { connection in
            let group = groups[connection % groups.count]
            let author = group.people[connection / groups.count % group.people.count]
            let id = try await subject.crowd.say("To be changed", in: group, by: author)
            return Target(path: "/v1/conversations/\(group.id)/messages/\(id)", author: author)
        }
    }

    private func run(
        _ phase: String,
        _ messages: [Target],
        _ subject: Subject,
        seconds: Int
    ) async throws -> LoadResult {
        let address = subject.server.address
        if change == .reactions { try await takeBack(messages) }
        let plan = try await plan(messages, subject)
        return try await subject.generator.withConnections(messages.count, to: address) { open in
            try await subject.drive(phase, plan, over: open, for: .seconds(seconds)).checked(name.rawValue)
        }
    }

    /// What the run before has left: giving it again would change nothing, and cost little.
    private func takeBack(_ messages: [Target]) async throws {
        _ = try await concurrentMap(messages, width: Crowd.width) { message in
            let answer = try await message.author.account.send(.delete("\(message.path)/reactions/\(Self.emoji)"))
            guard answer.status == 204 else {
                throw APIFailure.unexpected(request: "take a reaction back", answer: answer.summary)
            }
        }
    }

    private func plan(_ messages: [Target], _ subject: Subject) async throws -> RequestPlan {
        let address = subject.server.address
        var (templates, returns): ([RequestTemplate], [RequestTemplate]) = ([], [])
        var projectionRequests: [ProjectionRequest] = []
        for message in messages {
            let token = try await subject.crowd.token(of: message.author)
            projectionRequests.append(ProjectionRequest(address: address, token: token))
            switch change {
            case .edits:
                let length = subject.settings.textLength
                let words = String(repeating: "Lorem ipsum dolor sit amet. ", count: length / 28 + 1)
                let body = #"{"text":"{counter} \#(words.prefix(max(length - 11, 1)))"}"#
                templates.append(RequestTemplate("PATCH", message.path, to: address, token: token, json: body))
            case .reactions:
                let path = "\(message.path)/reactions/\(Self.emoji)"
                templates.append(RequestTemplate("PUT", path, to: address, token: token))
                returns.append(RequestTemplate("DELETE", path, to: address, token: token))
            }
        }
        return RequestPlan(
            templates: templates + returns,
            turns: returns.isEmpty ? 1 : 2,
            success: [200, 204],
            projectionRequests: projectionRequests
        )
    }
}
