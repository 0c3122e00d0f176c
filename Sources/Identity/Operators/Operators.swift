import Foundation
package import Postgres

/// The table of operators, each with the hash of a token.
package struct Operators: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The longest name.
    package static let maxName = 64

    /// Makes an operator, and the token, which nobody can read again; nil where a live one has the name.
    ///
    /// - Parameter author: who does it, for the audit.
    /// - Throws: `InvalidField`, database errors.
    package func create(_ name: String, _ scope: OperatorScope, by author: String) async throws -> Secret? {
        let name = try TextRule(field: "name", minimum: 1, maximum: Self.maxName).check(name)
        // Names of those who give commands on the machine begin so in the audit.
        guard !name.contains(":") else {
            throw InvalidField(field: "name", code: .invalid, message: "Has a colon.")
        }
        let token = ProgramToken(.operator, id: TimeOrderedID.make(at: Date()))
        return try await pool.withTransaction { connection in
            let made = try await connection.execute(
                """
                INSERT INTO parley.operators (operator_id, name, scope, token_hash)
                VALUES (\(token.id), \(name), \(scope.rawValue), \(Bytes(token.hash)))
                ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING
                """
            )
            guard made == 1 else { return nil }
            try await AuditLog.record("operator.create", of: name, by: author, on: connection)
            return token.text
        }
    }

    /// All that there are, and were.
    package func list() async throws -> [Operator] {
        let rows = try await pool.query(
            """
            SELECT o.operator_id, o.name, o.scope, o.created_at, o.revoked_at FROM parley.operators o
            ORDER BY o.created_at, o.operator_id
            """
        )
        return try rows.map { try Operator($0) }
    }

    /// Takes a live operator's token away; false where there is none of that name.
    package func revoke(_ name: String, by author: String) async throws -> Bool {
        try await pool.withTransaction { connection in
            let revoked = try await connection.execute(
                "UPDATE parley.operators SET revoked_at = now() WHERE name = \(name) AND revoked_at IS NULL"
            )
            guard revoked == 1 else { return false }
            try await AuditLog.record("operator.revoke", of: name, by: author, on: connection)
            return true
        }
    }

    /// Whose token it is; nil where it is nobody's, or nobody's any more.
    func find(_ token: ProgramToken) async throws -> Operator? {
        let rows = try await pool.query(
            """
            SELECT o.operator_id, o.name, o.scope, o.created_at, o.revoked_at, o.token_hash FROM parley.operators o
            WHERE o.operator_id = \(token.id) AND o.revoked_at IS NULL
            """
        )
        guard let row = rows.first, token.matches(try row.decode("token_hash", as: Bytes.self).bytes) else {
            return nil
        }
        return try Operator(row)
    }
}

extension Operator {
    fileprivate init(_ row: Row) throws {
        id = try row.decode("operator_id")
        name = try row.decode("name")
        // One of a newer program can do nothing here.
        scope = OperatorScope(rawValue: try row.decode("scope")) ?? .read
        createdAt = try row.decode("created_at")
        revokedAt = try row.decode("revoked_at")
    }
}
