import EventStore
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
            SET claim = \(UUID()), claimed_by = \(sessions.key), claimed_until = \(until), due_at = \(until),
                attempts = s.attempts + 1
            FROM due WHERE s.author_id = due.author_id AND s.message_id = due.message_id
            RETURNING \(Self.columns), due.rival_until
            """
        )
        // In the order in which their author wrote them, where they are for the same time.
        return try await claims(rows).sorted {
            ($0.message.sendAt, $0.message.createdAt) < ($1.message.sendAt, $1.message.createdAt)
        }
    }

    static func due(at now: Date, limit: Int) -> SQL {
        """
        SELECT s.author_id, s.message_id, CASE WHEN s.claimed_until > \(now) THEN s.claimed_until END AS rival_until
        FROM parley.scheduled_messages s
        WHERE s.failed_at IS NULL AND s.due_at <= \(now) AND (s.claim IS NULL OR s.claimed_until <= \(now))
        ORDER BY s.due_at LIMIT \(limit)
        FOR UPDATE SKIP LOCKED
        """
    }

    /// Takes their claims from processes that are gone, so that others send what they had claimed.
    ///
    /// The claims' time still passes for those who change or withdraw, since a last command may be under way. Sending again does no
    /// harm: the id is one message's.
    package func giveBack(exceptOf living: [Int32], at now: Date) async throws {
        try await pool.execute(
            """
            UPDATE parley.scheduled_messages s
            SET claim = NULL, claimed_by = NULL, due_at = greatest(s.send_at, \(now)::timestamptz)
            WHERE s.failed_at IS NULL AND s.claim IS NOT NULL
                AND s.claimed_by IS NOT NULL AND NOT s.claimed_by = ANY (\(living))
            """
        )
    }

    package struct Outlook: Sendable {
        /// When something is due next; nil where nothing waits.
        package let nextDue: Date?
        package let isDue: Bool
        /// How many wait, of all authors, counted up to a limit.
        package let waiting: Int
    }

    /// What is to be sent, asked in one statement.
    package func outlook(at now: Date, countingUpTo limit: Int) async throws -> Outlook {
        let rows = try await pool.query(
            """
            SELECT n.due_at, coalesce(n.due_at <= \(now), false) AS is_due, (
                SELECT count(*) FROM (
                    SELECT FROM parley.scheduled_messages s WHERE s.failed_at IS NULL LIMIT \(limit)) w) AS waiting
            FROM (SELECT (\(Self.next)) AS due_at) n
            """
        )
        guard let row = rows.first else { return Outlook(nextDue: nil, isDue: false, waiting: 0) }
        return Outlook(
            nextDue: try row.decode("due_at"),
            isDue: try row.decode("is_due"),
            waiting: try row.decode("waiting")
        )
    }

    static let next: SQL = """
        SELECT s.due_at FROM parley.scheduled_messages s WHERE s.failed_at IS NULL ORDER BY s.due_at LIMIT 1
        """

    /// It was refused, for good: it stays for its author to see.
    package func fail(_ claim: Claim, for code: String, at now: Date) async throws {
        try await pool.execute(
            """
            UPDATE parley.scheduled_messages s
            SET failure = \(code), failed_at = \(now), claim = NULL, claimed_by = NULL, claimed_until = NULL
            WHERE \(Self.isStill(claim))
            """
        )
    }

    /// It is tried again later.
    ///
    /// - Parameter isUndone: whether it is certain that nothing was sent: else the claim lasts for as long as something may
    ///   be under way, as it does where another process had begun.
    package func postpone(_ claim: Claim, until time: Date, isUndone: Bool) async throws {
        let isUndone = isUndone && claim.rivalUntil == nil
        let release: SQL = isUndone ? ", claim = NULL, claimed_by = NULL, claimed_until = NULL" : ""
        let due: SQL = isUndone ? "\(time)" : "greatest(s.due_at, \(time))"
        try await pool.execute(
            "UPDATE parley.scheduled_messages s SET due_at = \(due)\(release) WHERE \(Self.isStill(claim))"
        )
    }
}
