package import Foundation
package import Postgres

/// What people have starred, for themselves: rows beside the log, which a rebuild leaves alone.
package struct Stars: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Stars a message, or finds it starred.
    ///
    /// - Returns: since when it is, and whether that is new; nil where the person is going.
    package func add(
        _ message: UUID,
        at seq: Int64,
        of conversation: UUID,
        for person: UUID
    ) async throws -> (at: Date, isNew: Bool)? {
        let added = try await pool.query(
            """
            INSERT INTO parley.stars (person_id, conversation_id, message_id, seq)
            SELECT n.* FROM (
                VALUES (\(person)::uuid, \(conversation)::uuid, \(message)::uuid, \(seq)::bigint)
            ) AS n (person_id, conversation_id, message_id, seq)
            WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.person_id)
            ON CONFLICT (person_id, conversation_id, message_id) DO NOTHING
            RETURNING starred_at
            """
        )
        if let row = added.first { return (try row.decode("starred_at"), true) }
        let found = try await pool.query(
            """
            SELECT s.starred_at FROM parley.stars s
            WHERE s.person_id = \(person) AND s.conversation_id = \(conversation) AND s.message_id = \(message)
            """
        )
        return try found.first.map { (try $0.decode("starred_at"), false) }
    }

    package func remove(_ message: UUID, of conversation: UUID, for person: UUID) async throws {
        try await pool.execute(
            """
            DELETE FROM parley.stars s
            WHERE s.person_id = \(person) AND s.conversation_id = \(conversation) AND s.message_id = \(message)
            """
        )
    }

    /// Forgets all of an erased person.
    package func forget(_ person: UUID) async throws {
        try await pool.execute("DELETE FROM parley.stars WHERE person_id = \(person)")
    }
}
