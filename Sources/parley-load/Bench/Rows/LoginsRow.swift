import Foundation
import ParleyWire

/// Logins per second, and what a storm of logins does to sends, with the cost that passwords have in production.
struct LoginsRow: BenchRow {
    private static let connections = 32

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let people = groups.flatMap(\.people)
        let templates = try (0..<Self.connections).map { try login(people[$0 % people.count], subject) }
        let storm = RequestPlan(templates: templates)
        let sends = SaturatedSends(subject: subject, groups: groups)
        try await sends.warmUp()
        var (alone, inStorm): ([LoadResult], [LoadResult]) = ([], [])
        var (logins, loginsBeside): ([LoadResult], [LoadResult]) = ([], [])
        for run in 1...settings.runs {
            let label = "logins \(run)/\(settings.runs)"
            alone.append(try await sends.run("\(label): sends alone", seconds: settings.seconds))
            logins.append(try await self.logins("\(label): alone", storm, subject))
            async let beside = self.logins("\(label): both", storm, subject)
            inStorm.append(try await sends.run("\(label): both", seconds: settings.seconds))
            loginsBeside.append(try await beside)
        }
        return [
            Finding(.logins, "logins, \(Self.connections) connections", logins.map(\.rate), .perSecond),
            Finding(.logins, "logins beside sends", loginsBeside.map(\.rate), .perSecond),
            Finding(
                .logins,
                "sends in a storm of logins",
                inStorm.map(\.rate),
                .perSecond,
                yardstick: .init("sends alone", alone.map(\.rate), .perSecond)
            ),
            Finding(
                .logins,
                "their p99",
                inStorm.map { $0.latencies.percentile(99) },
                .milliseconds,
                yardstick: .init("p99 of sends alone", alone.map { $0.latencies.percentile(99) }, .milliseconds)
            ),
        ]
    }

    private func logins(_ phase: String, _ storm: RequestPlan, _ subject: Subject) async throws -> LoadResult {
        try await subject.generator.withConnections(Self.connections, to: subject.server.address) { connections in
            try await ClosedLoop(connections: connections, plan: storm)
                .run(until: .after(.seconds(subject.settings.seconds)))
                .checked("login")
        }
    }

    private func login(_ person: Crowd.Person, _ subject: Subject) throws -> RequestTemplate {
        let body = try WireJSON.encoder().encode(person.account.loginRequest)
        return RequestTemplate(
            "POST",
            "/v1/auth/login",
            to: subject.server.address,
            headers: [("Content-Type", "application/json")],
            body: String(decoding: body, as: UTF8.self)
        )
    }
}
