package import Foundation
import ParleyWire
package import Postgres

/// The log of what was tried, for 30 days.
package struct WebhookDeliveries: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package struct Entry: Sendable, Hashable {
        package let number: Int64
        package let at: Date
        package let message: String
        package let event: String
        package let conversation: UUID
        package let partition: Int
        package let position: Int64
        package let attempt: Int
        package let milliseconds: Int
        package let status: Int?
        package let reason: String?
    }

    /// The newest tries of a webhook, before the one of a number.
    package func page(of webhook: UUID, before number: Int64?, limit: Int) async throws -> [Entry] {
        let rows = try await pool.query(
            """
            SELECT d.number, d.at, d.message_id, d.event, d.conversation_id, d.partition, d.position, d.attempt,
                d.milliseconds, d.status, d.reason
            FROM parley.webhook_deliveries d
            WHERE d.webhook_id = \(webhook) AND d.number < \(number ?? .max)
            ORDER BY d.number DESC
            LIMIT \(limit)
            """
        )
        return try rows.map { row in
            Entry(
                number: try row.decode("number"),
                at: try row.decode("at"),
                message: try row.decode("message_id"),
                event: try row.decode("event"),
                conversation: try row.decode("conversation_id"),
                partition: try row.decode("partition"),
                position: try row.decode("position"),
                attempt: try row.decode("attempt"),
                milliseconds: try row.decode("milliseconds"),
                status: try row.decode("status"),
                reason: try row.decode("reason")
            )
        }
    }

    static func insertion(of tries: [WebhookTry], to webhook: UUID) -> SQL {
        """
        INSERT INTO parley.webhook_deliveries (
            webhook_id, conversation_id, partition, position, message_id, event, attempt, milliseconds, status, reason)
        SELECT w.webhook_id, x.conversation, x.partition, x.position, x.message, x.event, x.attempt, x.milliseconds,
            x.status, x.reason
        FROM unnest(
            \(tries.map(\.conversation)), \(tries.map { Int32(clamping: $0.partition) }), \(tries.map(\.position)),
            \(tries.map(\.message)), \(tries.map(\.event.rawValue)), \(tries.map { Int32(clamping: $0.attempt) }),
            \(tries.map { Int32(clamping: $0.milliseconds) }), \(tries.map { $0.result.status.map { Int32(clamping: $0) } }),
            \(tries.map(\.result.reason))
        ) WITH ORDINALITY AS x (conversation, partition, position, message, event, attempt, milliseconds, status, reason, n)
        JOIN parley.webhooks w ON w.webhook_id = \(webhook)
        ORDER BY x.n
        """
    }

    /// Drops what is too old, a limited number at once.
    ///
    /// - Returns: whether there may be more.
    func clean(atMost limit: Int = 10_000) async throws -> Bool {
        try await pool.execute(
            """
            DELETE FROM parley.webhook_deliveries WHERE ctid IN (
                SELECT ctid FROM parley.webhook_deliveries WHERE at < now() - interval '30 days' LIMIT \(Int64(limit)))
            """
        ) == limit
    }
}
