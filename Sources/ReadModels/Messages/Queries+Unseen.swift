package import Foundation
import Postgres

extension Queries {
    /// The members of a conversation who may not read one of its messages: it is older than their joining, and the
    /// conversation shows only what came after.
    package func members(whoMayNotSee seq: Int64, in conversation: UUID) async throws -> Set<UUID> {
        let rows = try await pool.query(
            """
            SELECT m.user_id
            FROM read_live.conversations c
            JOIN read_live.memberships m ON m.conversation_id = c.conversation_id AND m.to_position IS NULL
            WHERE c.conversation_id = \(conversation) AND c.history_visibility = 'joined' AND m.from_seq >= \(seq)
            """
        )
        return Set(try rows.map { try $0.decode("user_id") })
    }
}
