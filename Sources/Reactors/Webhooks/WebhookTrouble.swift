package import Foundation
package import Postgres

/// A webhook whose server takes nothing, or that is sent nothing more.
package struct WebhookTrouble: Sendable, Equatable {
    package let webhook: UUID
    package let since: Date
    /// Why it is disabled; nil while it is tried again and again.
    package let disabledReason: String?

    /// The disabled ones first.
    package static func all(on pool: PostgresPool) async throws -> [WebhookTrouble] {
        let rows = try await pool.query(
            """
            SELECT w.webhook_id, w.disabled_reason, coalesce(w.disabled_at, f.since) AS since
            FROM parley.webhooks w
            CROSS JOIN LATERAL (
                SELECT min(p.failing_since) AS since FROM parley.webhook_places p
                WHERE p.webhook_id = w.webhook_id AND p.due_at IS NOT NULL
            ) f
            WHERE w.disabled_at IS NOT NULL OR f.since IS NOT NULL
            ORDER BY (w.disabled_at IS NULL), coalesce(w.disabled_at, f.since), w.webhook_id
            """
        )
        return try rows.map { row in
            WebhookTrouble(
                webhook: try row.decode("webhook_id"),
                since: try row.decode("since"),
                disabledReason: try row.decode("disabled_reason")
            )
        }
    }
}
