package import Postgres

/// The table of what operators did, to which rows are only ever added.
package struct AuditLog: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Writes down what is about to be done, where that is not one transaction with it: what is written may have come to
    /// nothing, and nothing is done that is not written.
    package func record(_ action: String, of target: String?, by author: String) async throws {
        try await pool.withConnection { connection in
            try await Self.record(action, of: target, by: author, on: connection)
        }
    }

    /// Writes down what is done in the same transaction.
    package static func record(
        _ action: String,
        of target: String?,
        by author: String,
        on connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            "INSERT INTO parley.audit (operator, action, target) VALUES (\(author), \(action), \(target))"
        )
    }

    /// The newest acts, before the one of a number.
    package func page(before number: Int64?, limit: Int) async throws -> [AuditEntry] {
        let rows = try await pool.query(
            """
            SELECT a.number, a.at, a.operator, a.action, a.target FROM parley.audit a
            WHERE a.number < \(number ?? .max)
            ORDER BY a.number DESC
            LIMIT \(limit)
            """
        )
        return try rows.map { row in
            AuditEntry(
                number: try row.decode("number"),
                at: try row.decode("at"),
                operator: try row.decode("operator"),
                action: try row.decode("action"),
                target: try row.decode("target")
            )
        }
    }
}
