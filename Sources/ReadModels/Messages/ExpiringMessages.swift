package import EventStore
package import Foundation
import Postgres

/// The messages whose time is over, as the read models have them, and whose turn it is to see to that.
package struct ExpiringMessages: Sendable {
    /// How long a process has the turn without taking it again.
    package static let turn: TimeInterval = 30

    private let pool: PostgresPool
    private let sessions: ProcessSessions

    package init(_ eventStore: EventStore) {
        pool = eventStore.pool
        sessions = eventStore.sessions
    }

    package struct Due: Sendable, Equatable {
        package let conversation: UUID
        package let message: UUID
        let seq: Int64
        let expiresAt: Date
    }

    /// Those whose time was over first, after one that was read before.
    package func due(at now: Date, after last: Due?, limit: Int) async throws -> [Due] {
        try await pool.query(Self.due(at: now, after: last, limit: limit)).map { row in
            Due(
                conversation: try row.decode("conversation_id"),
                message: try row.decode("message_id"),
                seq: try row.decode("seq"),
                expiresAt: try row.decode("expires_at")
            )
        }
    }

    static func due(at now: Date, after last: Due?, limit: Int) -> SQL {
        let after: SQL =
            last.map {
                "(m.expires_at, m.conversation_id, m.seq) > (\($0.expiresAt), \($0.conversation), \($0.seq))"
            } ?? "true"
        return """
            SELECT m.conversation_id, m.message_id, m.seq, m.expires_at FROM read_live.messages m
            WHERE m.expires_at <= \(now) AND \(after)
            ORDER BY m.expires_at, m.conversation_id, m.seq
            LIMIT \(limit)
            """
    }

    /// When the next message's time is over; nil where all stay.
    package func next() async throws -> Date? {
        try await pool.query(Self.next).first?.decode("expires_at")
    }

    static let next: SQL = """
        SELECT m.expires_at FROM read_live.messages m WHERE m.expires_at IS NOT NULL ORDER BY m.expires_at LIMIT 1
        """

    /// Takes the turn, or keeps it.
    ///
    /// - Returns: false where another process has it.
    package func takeTurn(as holder: UUID, at now: Date) async throws -> Bool {
        let until = now.addingTimeInterval(Self.turn)
        return try await pool.execute(
            """
            INSERT INTO parley.turns AS t (name, holder, until, claimed_by)
            VALUES ('expiry', \(holder), \(until), \(sessions.key))
            ON CONFLICT (name) DO UPDATE
            SET holder = excluded.holder, until = excluded.until, claimed_by = excluded.claimed_by
            WHERE t.holder = excluded.holder OR t.until <= \(now)
            """
        ) == 1
    }

    /// Takes the turn from a process that is gone.
    package func endTurn(exceptOf living: [Int32]) async throws {
        try await pool.execute(
            """
            DELETE FROM parley.turns t
            WHERE t.name = 'expiry' AND t.claimed_by IS NOT NULL AND NOT t.claimed_by = ANY (\(living))
            """
        )
    }

    /// Lets others have it.
    package func endTurn(of holder: UUID) async throws {
        try await pool.execute("DELETE FROM parley.turns t WHERE t.name = 'expiry' AND t.holder = \(holder)")
    }
}
