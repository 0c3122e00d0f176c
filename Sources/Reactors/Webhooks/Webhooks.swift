package import EventStore
package import Foundation
import ParleyWire
package import Postgres

/// The table of webhooks.
package struct Webhooks: Sendable {
    let pool: PostgresPool
    private let keyring: Keyring

    /// How many there may be.
    package static let limit = 100

    package init(pool: PostgresPool, keyring: Keyring) {
        self.pool = pool
        self.keyring = keyring
    }

    /// Lets something be written in the transaction of a change.
    package typealias Beside = @Sendable (PostgresConnection) async throws -> Void

    /// Keeps a new one; false where there are too many.
    package func add(_ webhook: Webhook, beside: Beside) async throws -> Bool {
        let sealed = try await seal(webhook)
        return try await pool.withTransaction { connection in
            try await beside(connection)
            try await connection.execute("LOCK TABLE parley.webhooks IN SHARE ROW EXCLUSIVE MODE")
            return try await connection.execute(
                """
                INSERT INTO parley.webhooks (webhook_id, created_at, created_by, events, conversations, key_id, sealed)
                SELECT \(webhook.id), \(webhook.createdAt), \(webhook.createdBy), \(webhook.events.map(\.rawValue).sorted()),
                    \(webhook.conversations.map { $0.sorted() }), \(sealed.key), \(Bytes(sealed.bytes))
                WHERE (SELECT count(*) FROM parley.webhooks) < \(Self.limit)
                """
            ) == 1
        }
    }

    /// All of them, the oldest first.
    package func list() async throws -> [Webhook] {
        try await read("SELECT \(Self.columns) FROM parley.webhooks w ORDER BY w.created_at, w.webhook_id")
    }

    package func find(_ id: UUID) async throws -> Webhook? {
        try await read("SELECT \(Self.columns) FROM parley.webhooks w WHERE w.webhook_id = \(id)").first
    }

    /// Changes one; nil where there is none. What waits for one that is enabled again is sent at once.
    ///
    /// - Throws: what `change` throws.
    package func update(
        _ id: UUID,
        beside: Beside,
        _ change: @Sendable (inout Webhook) throws -> Void
    ) async throws -> Webhook? {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                "SELECT \(Self.columns) FROM parley.webhooks w WHERE w.webhook_id = \(id) FOR UPDATE"
            )
            guard var webhook = try await open(rows).first else { return nil }
            let wasDisabled = webhook.disabledAt != nil
            try change(&webhook)
            try await beside(connection)
            let sealed = try await seal(webhook)
            try await connection.execute(
                """
                UPDATE parley.webhooks SET events = \(webhook.events.map(\.rawValue).sorted()),
                    conversations = \(webhook.conversations.map { $0.sorted() }), key_id = \(sealed.key),
                    sealed = \(Bytes(sealed.bytes)), disabled_at = \(webhook.disabledAt),
                    disabled_reason = \(webhook.disabledReason?.rawValue)
                WHERE webhook_id = \(id)
                """
            )
            if wasDisabled, webhook.disabledAt == nil { try await connection.execute(WebhookQueue.retryAll(of: id)) }
            return webhook
        }
    }

    /// Forgets one, with all that waits for it; false where there is none.
    package func remove(_ id: UUID, beside: Beside) async throws -> Bool {
        try await pool.withTransaction { connection in
            let removed = try await connection.execute("DELETE FROM parley.webhooks WHERE webhook_id = \(id)")
            if removed == 1 { try await beside(connection) }
            return removed == 1
        }
    }

    /// Sends nothing more to one; false where that was so.
    func disable(_ id: UUID, _ reason: Webhook.DisabledReason, beside: Beside) async throws -> Bool {
        try await pool.withTransaction { connection in
            let disabled = try await connection.execute(
                """
                UPDATE parley.webhooks SET disabled_at = now(), disabled_reason = \(reason.rawValue)
                WHERE webhook_id = \(id) AND disabled_at IS NULL
                """
            )
            if disabled == 1 { try await beside(connection) }
            return disabled == 1
        }
    }

    // MARK: Rows

    private static let columns: SQL =
        """
        w.webhook_id, w.created_at, w.created_by, w.events, w.conversations, w.key_id, w.sealed, w.disabled_at,
            w.disabled_reason
        """

    private func seal(_ webhook: Webhook) async throws -> SealedDraft {
        let content = Array(try JSONEncoder().encode(webhook.target))
        return try await keyring.seal(webhook: content, of: webhook.id)
    }

    private func read(_ sql: SQL) async throws -> [Webhook] {
        try await open(try await pool.query(sql))
    }

    /// Without those whose key is gone.
    private func open(_ rows: Rows) async throws -> [Webhook] {
        let contents = try await keyring.open(
            webhooks: try rows.map { row in
                let sealed = SealedDraft(
                    key: try row.decode("key_id"),
                    bytes: try row.decode("sealed", as: Bytes.self).bytes
                )
                return (try row.decode("webhook_id", as: UUID.self), sealed)
            }
        )
        return try zip(rows, contents).compactMap { row, content in
            guard let content, let target = try? JSONDecoder().decode(WebhookTarget.self, from: Data(content)) else {
                return nil
            }
            return try Webhook(row, target)
        }
    }
}

extension Webhook {
    fileprivate init(_ row: Row, _ target: WebhookTarget) throws {
        id = try row.decode("webhook_id")
        self.target = target
        events = Set(try row.decode("events", as: [String].self).compactMap { StreamEventName(rawValue: $0) })
        conversations = try row.decode("conversations", as: [UUID]?.self).map { Set($0) }
        createdAt = try row.decode("created_at")
        createdBy = try row.decode("created_by")
        disabledAt = try row.decode("disabled_at")
        disabledReason = try row.decode("disabled_reason", as: String?.self).flatMap { DisabledReason(rawValue: $0) }
    }
}
