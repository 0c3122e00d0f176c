import EventSourcing
package import EventStore
package import Foundation
import Messaging
import Postgres

/// Sets a webhook back, so that it is told again: by the same ids, in the same order.
package struct WebhookReplay: Sendable {
    /// Where it begins.
    package enum Start: Sendable {
        /// With what was accepted from then on.
        case time(Date)
        /// With an event of a partition; others are left alone.
        case position(partition: Int, Int64)
    }

    /// Several servers' clocks may differ by so much.
    private static let clocksDiffer: TimeInterval = 600

    let pool: PostgresPool
    let partitions: Int

    package init(store: EventStore) {
        pool = store.pool
        partitions = store.identity.partitions
    }

    /// - Parameter only: conversations; nil for all that the webhook is told of.
    /// - Returns: how many conversations are told again.
    package func begin(_ webhook: UUID, from start: Start, only: Set<UUID>?) async throws -> Int {
        switch start {
        case .position(let partition, let position):
            return try await begin(webhook, in: partition, from: position, since: nil, only)
        case .time(let time):
            var count = 0
            for partition in 0..<partitions {
                let first = try await firstPosition(
                    of: partition,
                    notBefore: time.addingTimeInterval(-Self.clocksDiffer)
                )
                count += try await begin(webhook, in: partition, from: first, since: time, only)
            }
            return count
        }
    }

    /// What is not projected yet is left to the consumer, which has not come there either.
    private func begin(
        _ webhook: UUID,
        in partition: Int,
        from position: Int64,
        since time: Date?,
        _ only: Set<UUID>?
    ) async throws -> Int {
        let some = only.map { $0.sorted() }
        return try await pool.withTransaction { connection in
            _ = try await connection.query("SELECT set_config('statement_timeout', '120s', true)")
            return try await connection.execute(
                """
                INSERT INTO parley.webhook_places AS p (webhook_id, conversation_id, next_version, head_version, due_at)
                SELECT w.webhook_id, e.stream_id, min(e.version), max(e.version), now()
                FROM parley.webhooks w JOIN parley.events e ON w.conversations IS NULL OR e.stream_id = ANY (w.conversations)
                WHERE w.webhook_id = \(webhook) AND e.partition = \(Int32(clamping: partition)) AND e.position >= \(position)
                    AND e.position <= (
                        SELECT c.position FROM read_live.checkpoints c WHERE c.partition = \(Int32(clamping: partition)))
                    AND e.category = \(StreamCategory.conversation.rawValue)
                    AND (\(time)::timestamptz IS NULL OR e.recorded_at >= \(time)::timestamptz)
                    AND (\(some)::uuid[] IS NULL OR e.stream_id = ANY (\(some)::uuid[]))
                GROUP BY w.webhook_id, e.stream_id
                ORDER BY e.stream_id
                ON CONFLICT (webhook_id, conversation_id) DO UPDATE SET
                    next_version = least(p.next_version, excluded.next_version),
                    head_version = greatest(p.head_version, excluded.head_version),
                    due_at = now(), claim = NULL, attempts = 0, failing_since = NULL
                """
            )
        }
    }

    /// The first position of a partition that may have been accepted at a time or later: positions are dense, and about in
    /// the order of time.
    private func firstPosition(of partition: Int, notBefore time: Date) async throws -> Int64 {
        var low: Int64 = 1
        var high = try await head(of: partition) + 1
        while low < high {
            let middle = low + (high - low) / 2
            let rows = try await pool.query(
                """
                SELECT e.recorded_at FROM parley.events e
                WHERE e.partition = \(Int32(clamping: partition)) AND e.position = \(middle)
                """
            )
            guard let at: Date = try rows.first?.decode("recorded_at") else { return low }
            if at < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func head(of partition: Int) async throws -> Int64 {
        let rows = try await pool.query(
            """
            SELECT coalesce((
                SELECT e.position FROM parley.events e WHERE e.partition = \(Int32(clamping: partition))
                ORDER BY e.position DESC LIMIT 1), 0) AS head
            """
        )
        return try rows.first?.decode("head") ?? 0
    }
}
