package import Foundation
import Postgres

extension ScheduledMessages {
    /// Claims what has been due the longest, to send it; others skip it meanwhile.
    package func claimDue(at now: Date, limit: Int) async throws -> [Claim] {
        let until = now.addingTimeInterval(Self.lease)
        let rows = try await pool.query(
            """
            WITH due AS (\(Self.due(at: now, limit: limit)))
            UPDATE parley.scheduled_messages s
            SET claim = \(UUID()), claimed_until = \(until), due_at = \(until), attempts = s.attempts + 1
            FROM due WHERE s.author_id = due.author_id AND s.message_id = due.message_id
            RETURNING \(Self.columns)
            """
        )
        // In the order in which their author wrote them, where they are for the same time.
        return try await claims(rows).sorted {
            ($0.message.sendAt, $0.message.createdAt) < ($1.message.sendAt, $1.message.createdAt)
        }
    }

    static func due(at now: Date, limit: Int) -> SQL {
        """
        SELECT s.author_id, s.message_id FROM parley.scheduled_messages s
        WHERE s.failed_at IS NULL AND s.due_at <= \(now) AND (s.claimed_until IS NULL OR s.claimed_until <= \(now))
        ORDER BY s.due_at LIMIT \(limit)
        FOR UPDATE SKIP LOCKED
        """
    }

    /// When something is due next; nil where nothing waits.
    package func nextDue() async throws -> Date? {
        let rows = try await pool.query(Self.next)
        return try rows.first?.decode("due_at")
    }

    static let next: SQL = """
        SELECT s.due_at FROM parley.scheduled_messages s WHERE s.failed_at IS NULL ORDER BY s.due_at LIMIT 1
        """

    /// How many wait, of all authors, counted up to a limit.
    package func waiting(upTo limit: Int) async throws -> Int {
        let rows = try await pool.query(
            """
            SELECT count(*) AS n FROM (
                SELECT FROM parley.scheduled_messages s WHERE s.failed_at IS NULL LIMIT \(limit)) w
            """
        )
        return try rows.first?.decode("n") ?? 0
    }

    /// It was refused, for good: it stays for its author to see.
    package func fail(_ claim: Claim, for code: String, at now: Date) async throws {
        try await pool.execute(
            """
            UPDATE parley.scheduled_messages s
            SET failure = \(code), failed_at = \(now), claim = NULL, claimed_until = NULL
            WHERE \(Self.isStill(claim))
            """
        )
    }

    /// It is tried again later.
    ///
    /// - Parameter isUndone: whether it is certain that nothing was sent: else the claim lasts for as long as something may
    ///   be under way.
    package func postpone(_ claim: Claim, until time: Date, isUndone: Bool) async throws {
        let release: SQL = isUndone ? ", claim = NULL, claimed_until = NULL" : ""
        let due: SQL = isUndone ? "\(time)" : "greatest(s.due_at, \(time))"
        try await pool.execute(
            "UPDATE parley.scheduled_messages s SET due_at = \(due)\(release) WHERE \(Self.isStill(claim))"
        )
    }
}
