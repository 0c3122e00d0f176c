import AsyncHTTPClient
import Foundation

/// Measures rows, one after the other, and puts the report together.
struct Bench: Sendable {
    /// Makes registering thousands of people quick; what is measured hashes no passwords, unless it says so.
    static let cheapHashing = 6

    let source: ServerSource
    let settings: BenchSettings
    let progress: Progress

    func measure(_ rows: [RowName]) async throws -> BenchReport {
        var (conditions, findings, failures) = (Conditions(settings: settings), [Finding](), [String: String]())
        for row in rows {
            let cost = row.needsRealPasswords ? nil : Self.cheapHashing
            let found = try await attempt(row.rawValue, scryptCost: cost, &conditions, &failures) { subject in
                try await row.row.measure(subject)
            }
            for finding in found ?? [] {
                progress.note("  \(finding.what): \(finding.unit.text(finding.figure))")
                findings.append(finding)
            }
        }
        return BenchReport(conditions: conditions, findings: findings, failures: failures)
    }

    /// - Parameter limit: the largest size, where the caller names one.
    func grow(_ dimensions: [Dimension], upTo limit: Int?) async throws -> GrowthReport {
        var (conditions, curves, failures) = (Conditions(settings: settings), [Curve](), [String: String]())
        for dimension in dimensions {
            let name = dimension.rawValue
            let curve = try await attempt(name, scryptCost: Self.cheapHashing, &conditions, &failures) { subject in
                try await dimension.growth.measure(subject, upTo: limit)
            }
            if let curve { curves.append(curve) }
        }
        return GrowthReport(conditions: conditions, curves: curves, failures: failures)
    }

    /// Sends so many messages; false where that failed.
    func send(_ messages: Int) async throws -> Bool {
        var (conditions, failures) = (Conditions(settings: settings), [String: String]())
        let sent: Void? = try await attempt("send", scryptCost: Self.cheapHashing, &conditions, &failures) { subject in
            let groups = try await subject.crowd.groups(settings.groups, of: 3)
            try await LogFill(subject: subject, groups: groups).run("sending", messages: messages)
        }
        return sent != nil
    }

    /// Lends a body a subject on a server of its own; what cannot be measured is noted, and the rest goes on. Nothing is
    /// measured on a PostgreSQL that is known to be less durable than in production.
    private func attempt<Value: Sendable>(
        _ name: String,
        scryptCost: Int?,
        _ conditions: inout Conditions,
        _ failures: inout [String: String],
        _ body: @Sendable (Subject) async throws -> Value
    ) async throws -> Value? {
        progress.note("\(name):")
        do {
            return try await source.with(scryptCost: scryptCost) { server in
                if server.databaseURL != nil { try await server.requireDurability() }
                return try await Generator.with { generator in
                    try await Self.withClient { http in
                        let crowd = Crowd(server: server, http: http, progress: progress)
                        let account = try await crowd.people(1)[0].account
                        conditions.server = try await ServerDescription.read(server, account: account)
                        return try await body(
                            Subject(
                                server: server,
                                settings: settings,
                                generator: generator,
                                crowd: crowd,
                                progress: progress
                            )
                        )
                    }
                }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            failures[name] = "\(error)"
        }
        progress.end()
        progress.note("  NOT measured: \(failures[name] ?? "")")
        return nil
    }

    /// For what prepares a measurement; what is measured goes over connections of the generator's.
    private static func withClient<Value>(_ body: (HTTPClient) async throws -> Value) async throws -> Value {
        let http = HTTPClient(configuration: APIClient.configuration(connections: Crowd.width))
        return try await withEnding {
            try await body(http)
        } ending: {
            try? await http.shutdown()
        }
    }
}
