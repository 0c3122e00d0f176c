import Foundation
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// The plans that PostgreSQL makes.
extension IndexTests {
    var configuration: PostgresConfiguration {
        PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
    }

    func withConnection(
        _ settings: [String: String],
        _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.settings = settings
        let connection = try await PostgresConnection.connect(configuration, logger: TestServer.logger)
        try await body(connection)
        await connection.close()
    }

    /// The plan for these parameters, and the one for any, as a session comes to it that runs the statement often.
    func plans(_ statement: SQL, on connection: PostgresConnection) async throws -> [Plan] {
        struct Over: Error {}
        // Prepares it, and leaves nothing of what it does.
        do {
            try await connection.withTransaction { connection in
                _ = try await connection.query(statement)
                throw Over()
            }
        } catch is Over {}
        let prepared = try await connection.query(
            """
            SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements
            WHERE statement = \(statement.text)
            """
        )
        let name = try #require(try prepared.first?.decode("name", as: String.self), "\(statement)")
        let count = try prepared.first?.decode("parameters", as: Int.self) ?? 0
        let nulls = Array(repeating: "NULL" as SQL, count: count).joined(separator: ", ")
        let execute: SQL = "EXECUTE \(identifier: name)" + (count > 0 ? "(" + nulls + ")" : "")
        var plans = [try await plan("EXPLAIN (FORMAT JSON) " + statement, on: connection)]
        try await connection.execute("SET plan_cache_mode = force_generic_plan")
        plans.append(try await plan("EXPLAIN (FORMAT JSON) " + execute, on: connection))
        try await connection.execute("RESET plan_cache_mode")
        return plans
    }

    private func plan(_ explanation: SQL, on connection: PostgresConnection) async throws -> Plan {
        let rows = try await connection.query(explanation)
        let json = try #require(try rows.first?.decode(0, as: JSONText.self))
        var plan = Plan()
        plan.walk(try JSONSerialization.jsonObject(with: Data(json.bytes)))
        return plan
    }

    /// How often a statement looks something up in an index.
    func indexScans(of statement: SQL, on connection: PostgresConnection) async throws -> Int {
        func count() async throws -> Int {
            let rows = try await connection.query(
                "SELECT coalesce(sum(idx_scan), 0)::bigint AS scans FROM pg_stat_xact_user_tables"
            )
            return try rows.first?.decode("scans", as: Int.self) ?? 0
        }
        let before = try await count()
        _ = try await connection.query(statement)
        return try await count() - before
    }

    struct Plan {
        var indexes: Set<String> = []
        var scans: [String] = []

        mutating func walk(_ value: Any) {
            if let list = value as? [Any] {
                for item in list { walk(item) }
            } else if let node = value as? [String: Any] {
                if let index = node["Index Name"] as? String { indexes.insert(index) }
                // The few checkpoints fit on a page.
                if node["Node Type"] as? String == "Seq Scan", let table = node["Relation Name"] as? String,
                    table != "checkpoints"
                {
                    scans.append(table)
                }
                for child in node.values { walk(child) }
            }
        }
    }
}
