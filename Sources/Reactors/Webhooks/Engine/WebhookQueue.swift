import EventStore
import Foundation
import Postgres

/// How far was delivered to webhooks, in the database: `parley.webhook_places`.
struct WebhookQueue: Sendable {
    /// Whoever has claimed a row and does not give it back in this time is taken for dead. Longer than anybody works on one.
    private static let claimTime: TimeInterval = 90
    /// Of one webhook at once.
    static let claimsOfWebhook = 8

    let pool: PostgresPool
    let sessions: ProcessSessions

    /// Notes that there is something to deliver, for those whom it concerns.
    static func note(_ news: [(conversation: UUID, event: String, version: Int64)]) -> SQL {
        """
        INSERT INTO parley.webhook_places AS p (webhook_id, conversation_id, next_version, head_version, due_at)
        SELECT w.webhook_id, x.conversation, min(x.version), max(x.version), now()
        FROM unnest(\(news.map(\.conversation)), \(news.map(\.event)), \(news.map(\.version)))
            AS x (conversation, event, version)
        JOIN parley.webhooks w ON (w.events = '{}' OR x.event = ANY (w.events))
            AND (w.conversations IS NULL OR x.conversation = ANY (w.conversations))
        GROUP BY w.webhook_id, x.conversation
        ORDER BY w.webhook_id, x.conversation
        ON CONFLICT (webhook_id, conversation_id) DO UPDATE SET
            head_version = greatest(p.head_version, excluded.head_version), due_at = coalesce(p.due_at, excluded.due_at)
        """
    }

    /// Claims rows that are due, of each webhook the oldest first, and of all webhooks one each before any second one.
    ///
    /// - Parameters:
    ///   - full: the webhooks of which enough is under way.
    ///   - failing: those of which one is claimed at once.
    func claim(limit: Int, without full: [UUID], failing: [UUID] = []) async throws -> [WebhookPlace] {
        let (claim, key) = (UUID(), sessions.key)
        let results = try await pool.batch([
            // What a crash of the database loses is claimed again.
            .withoutWaiting,
            """
            WITH due AS (
                SELECT d.webhook_id, d.conversation_id FROM parley.webhooks w
                CROSS JOIN LATERAL (
                    SELECT p.webhook_id, p.conversation_id, p.due_at FROM parley.webhook_places p
                    WHERE p.webhook_id = w.webhook_id AND p.due_at <= now()
                    ORDER BY p.due_at
                    LIMIT CASE WHEN w.webhook_id = ANY (\(failing)) THEN 1 ELSE \(Int64(Self.claimsOfWebhook)) END
                    FOR UPDATE SKIP LOCKED
                ) d
                WHERE w.disabled_at IS NULL AND NOT w.webhook_id = ANY (\(full))
                ORDER BY row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.due_at), d.due_at
                LIMIT \(Int64(limit))
            )
            UPDATE parley.webhook_places p SET claim = \(claim), claimed_by = \(key),
                due_at = now() + make_interval(secs => \(Self.claimTime))
            FROM due d
            WHERE p.webhook_id = d.webhook_id AND p.conversation_id = d.conversation_id
            RETURNING p.webhook_id, p.conversation_id, p.next_version, p.head_version, p.attempts, p.failing_since
            """,
        ])
        return try results[1].map { row in
            WebhookPlace(
                webhook: try row.decode("webhook_id"),
                conversation: try row.decode("conversation_id"),
                next: try row.decode("next_version"),
                head: try row.decode("head_version"),
                attempts: try row.decode("attempts"),
                failingSince: try row.decode("failing_since"),
                claim: claim,
                isOfSession: key != nil
            )
        }
    }

    /// Notes how far a claimed row was told, so that whoever takes it over tells nothing of that again.
    ///
    /// - Returns: whether it is still claimed: else it was set back, or somebody else is at it.
    func advance(_ place: WebhookPlace, to next: Int64, tries: [WebhookTry]) async throws -> Bool {
        let results = try await pool.batch([
            .withoutWaiting,
            """
            UPDATE parley.webhook_places p SET next_version = \(next), attempts = 0, failing_since = NULL
            WHERE p.webhook_id = \(place.webhook) AND p.conversation_id = \(place.conversation)
                AND p.claim = \(place.claim)
            RETURNING p.next_version
            """,
            WebhookDeliveries.insertion(of: tries, to: place.webhook),
        ])
        return !results[1].isEmpty
    }

    /// Gives a claimed row back, with what was tried; where somebody else has claimed it meanwhile, or set it back, that alone
    /// holds.
    ///
    /// - Parameter wait: how long the next event is left alone; nil where nothing keeps it.
    func complete(
        _ place: WebhookPlace,
        next: Int64,
        attempts: Int,
        failingSince: Date?,
        wait: Duration?,
        tries: [WebhookTry]
    ) async throws {
        let seconds = wait.map { $0 / .seconds(1) }
        _ = try await pool.batch([
            .withoutWaiting,
            """
            UPDATE parley.webhook_places p SET claim = NULL, claimed_by = NULL, next_version = \(next),
                attempts = \(Int32(clamping: attempts)), failing_since = \(failingSince),
                due_at = CASE
                    WHEN \(seconds)::float8 IS NOT NULL THEN now() + make_interval(secs => \(seconds)::float8)
                    WHEN p.head_version >= \(next) THEN now()
                END
            WHERE p.webhook_id = \(place.webhook) AND p.conversation_id = \(place.conversation)
                AND p.claim = \(place.claim)
            """,
            WebhookDeliveries.insertion(of: tries, to: place.webhook),
        ])
    }

    /// Takes their claims from processes that are gone, so that others go on at once.
    ///
    /// - Returns: whether there were any.
    func giveBack(exceptOf living: [Int32]) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE parley.webhook_places p SET claim = NULL, claimed_by = NULL, due_at = now()
            WHERE p.claim IS NOT NULL AND p.claimed_by IS NOT NULL AND NOT p.claimed_by = ANY (\(living))
            """
        ) > 0
    }

    /// A server that is back gets what waits for it, soon and not all at once.
    func hasRecovered(_ webhook: UUID) async throws {
        try await pool.execute(
            """
            UPDATE parley.webhook_places p SET due_at = now() + make_interval(secs => 10 * random())
            WHERE p.webhook_id = \(webhook) AND p.attempts > 0 AND p.claim IS NULL AND p.due_at > now() + interval '10 s'
            """
        )
    }

    /// All that waits for a webhook begins anew.
    static func retryAll(of webhook: UUID) -> SQL {
        """
        UPDATE parley.webhook_places p SET due_at = now(), attempts = 0, failing_since = NULL, claim = NULL, claimed_by = NULL
        WHERE p.webhook_id = \(webhook) AND p.due_at IS NOT NULL
        """
    }
}
