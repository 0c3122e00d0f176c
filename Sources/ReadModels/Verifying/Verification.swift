package import Postgres

/// A contradiction in the log or the read models.
package struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// What should hold, as a sentence.
    package let rule: String
    /// How often it does not.
    package let count: Int
    /// Where, for the first few: partitions, streams, conversations, people; nothing of their content.
    package let examples: [String]

    package var description: String {
        "\(rule): not so \(count) times, for example \(examples.joined(separator: ", "))"
    }
}

/// Checks the log, and the read models against it and each other, at one moment and without stopping anything.
package struct Verification: Sendable {
    private let pool: PostgresPool
    private let partitions: Int
    private let checks: [Check]

    /// - Parameter includingLog: whether the log is checked too, which reads all of it.
    package init(pool: PostgresPool, partitions: Int, includingLog: Bool = true) {
        self.pool = pool
        self.partitions = partitions
        checks = (includingLog ? LogChecks.all : []) + ReadModelChecks.all
    }

    /// - Returns: what is wrong; nothing where all is well.
    package func run() async throws -> VerificationReport {
        try await ReadSnapshot.with(partitions: partitions, on: pool) { connection, positions in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            var findings: [Finding] = []
            for check in checks {
                if let finding = try await check.run(on: connection) { findings.append(finding) }
            }
            return VerificationReport(
                findings: findings,
                checks: checks.count,
                positions: positions,
                digests: try await TableDigest.read(.live, on: connection)
            )
        }
    }
}

/// What a verification found.
package struct VerificationReport: Sendable {
    package let findings: [Finding]
    /// How many rules were checked.
    package let checks: Int
    /// The moment, by partition.
    package let positions: [Int64]
    package let digests: [TableDigest]
}

/// A rule, and the query that finds what breaks it.
struct Check: Sendable {
    let rule: String
    /// Names what breaks the rule in a column `subject`.
    let violations: SQL

    func run(on connection: PostgresConnection) async throws -> Finding? {
        let rows = try await connection.query(
            """
            WITH violations AS MATERIALIZED (\(violations))
            SELECT (SELECT count(*) FROM violations) AS count,
                ARRAY(SELECT v.subject::text FROM violations v LIMIT 5) AS examples
            """
        )
        guard let row = rows.first, try row.decode("count", as: Int.self) > 0 else { return nil }
        return Finding(rule: rule, count: try row.decode("count"), examples: try row.decode("examples"))
    }
}
