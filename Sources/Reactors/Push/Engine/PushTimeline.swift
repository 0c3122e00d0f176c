package import Foundation
package import Postgres

/// What became of the notifications of a message: kept for 7 days.
package struct PushTimeline: Sendable {
    package struct Entry: Sendable, Equatable {
        package let at: Date
        package let person: UUID
        package let device: UUID
        package let platform: String
        /// `alert`, `digest`, `badge` or `clear`.
        package let kind: String
        /// `accepted`, `dropped` or `dead`.
        package let outcome: String
        package let reason: String?
        package let attempts: Int
        /// From the acceptance of the newest message that it told of.
        package let milliseconds: Int64
    }

    /// So many are told at most, the newest first.
    private static let limit: Int64 = 1_000

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Of the message with this number in a conversation; a summary is of several.
    package func entries(of conversation: UUID, seq: Int64) async throws -> [Entry] {
        let rows = try await pool.query(
            """
            SELECT o.at, o.person_id, o.device_id, o.platform, o.kind, o.outcome, o.reason, o.attempts, o.milliseconds
            FROM parley.push_outcomes o
            WHERE o.conversation_id = \(conversation) AND o.seq >= \(seq) AND o.from_seq <= \(seq)
            ORDER BY o.at DESC, o.device_id
            LIMIT \(Self.limit)
            """
        )
        return try rows.map { row in
            Entry(
                at: try row.decode("at"),
                person: try row.decode("person_id"),
                device: try row.decode("device_id"),
                platform: try row.decode("platform"),
                kind: try row.decode("kind"),
                outcome: try row.decode("outcome"),
                reason: try row.decode("reason"),
                attempts: try row.decode("attempts"),
                milliseconds: try row.decode("milliseconds")
            )
        }
    }
}
