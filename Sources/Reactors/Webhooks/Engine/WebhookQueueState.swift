package import Postgres

/// What webhooks that are enabled are still to be told, as people look at it.
package struct WebhookQueueState: Sendable, Equatable {
    /// Conversations of which one of them is to be told something, of all processes; counted up to a limit.
    package let waiting: Int
    /// For how long the one has waited that is due the longest, in seconds; nil where none is due.
    package let oldest: Double?
    /// For how long one has refused the same message, in seconds; nil where none does.
    package let failing: Double?

    package static func read(on pool: PostgresPool, countingTo limit: Int = 100_000) async throws -> WebhookQueueState {
        let rows = try await pool.query(
            """
            SELECT count(*) AS waiting,
                extract(epoch FROM now() - min(d.due_at) FILTER (WHERE d.due_at < now()))::float8 AS oldest,
                extract(epoch FROM now() - min(d.failing_since))::float8 AS failing
            FROM (
                SELECT p.due_at, p.failing_since FROM parley.webhook_places p
                JOIN parley.webhooks w ON w.webhook_id = p.webhook_id AND w.disabled_at IS NULL
                WHERE p.due_at IS NOT NULL LIMIT \(Int64(limit))
            ) d
            """
        )
        guard let row = rows.first else { return WebhookQueueState(waiting: 0, oldest: nil, failing: nil) }
        return WebhookQueueState(
            waiting: try row.decode("waiting"),
            oldest: try row.decode("oldest"),
            failing: try row.decode("failing")
        )
    }
}
