package import Foundation
package import Postgres

/// What became of the notifications of a message, kept for 7 days, and those that still wait. No text is in it.
package struct PushTimeline: Sendable {
    package struct Entry: Sendable, Equatable {
        /// When that came about; of one that waits, when it is looked at next.
        package let at: Date
        package let conversation: UUID
        package let person: UUID
        package let device: UUID
        package let platform: String
        /// `alert`, `digest`, `badge` or `clear`.
        package let kind: String
        /// `accepted`, `dropped`, `dead` or `waiting`.
        package let outcome: String
        package let reason: String?
        /// How often it was tried; of one that waits, in vain.
        package let attempts: Int
        /// From the acceptance of the newest message that it told of.
        package let milliseconds: Int64
    }

    /// So many are told at most, the newest first.
    private static let limit: Int64 = 1_000
    private static let mostConversations: Int64 = 10

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Of a message; nil where the read models know none with this id. Ids are unique in a conversation: several may have it.
    package func entries(of message: UUID) async throws -> [Entry]? {
        let rows = try await pool.query(
            """
            SELECT m.conversation_id, m.seq FROM read_live.messages m WHERE m.message_id = \(message)
            ORDER BY m.conversation_id LIMIT \(Self.mostConversations)
            """
        )
        guard !rows.isEmpty else { return nil }
        return try await entries(
            of: try rows.map { try $0.decode("conversation_id", as: UUID.self) },
            seqs: try rows.map { try $0.decode("seq", as: Int64.self) }
        )
    }

    /// A summary is of several messages, and so of each of them.
    private func entries(of conversations: [UUID], seqs: [Int64]) async throws -> [Entry] {
        let rows = try await pool.query(
            """
            WITH x AS (SELECT * FROM unnest(\(conversations), \(seqs)) AS x (conversation, seq))
            SELECT o.at, o.conversation_id, o.person_id, o.device_id, o.platform, o.kind, o.outcome, o.reason, o.attempts,
                o.milliseconds
            FROM x JOIN parley.push_outcomes o ON o.conversation_id = x.conversation AND o.seq >= x.seq
                AND o.from_seq <= x.seq
            UNION ALL
            SELECT n.due_at, n.conversation_id, n.person_id, n.device_id, n.platform, 'alert', 'waiting', NULL::text,
                n.attempts, (extract(epoch FROM greatest('0', now() - n.newest_at)) * 1000)::bigint
            FROM x JOIN parley.push_notifications n ON n.conversation_id = x.conversation AND n.seq >= x.seq
                AND n.from_seq <= x.seq
            WHERE n.pending > 0 AND n.due_at IS NOT NULL
            ORDER BY at DESC, device_id
            LIMIT \(Self.limit)
            """
        )
        return try rows.map { row in
            Entry(
                at: try row.decode("at"),
                conversation: try row.decode("conversation_id"),
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
