package import Foundation
import Postgres

extension Queries {
    /// Who of the members of a conversation does not see one of its messages.
    ///
    /// - Returns: those who joined after it where the conversation shows only what came after, and those who have deleted
    ///   it for themselves.
    package func membersWithout(
        _ seq: Int64,
        in conversation: UUID
    ) async throws -> (joinedLater: Set<UUID>, hiders: [UUID: HiddenMessage]) {
        var joinedLater: Set<UUID> = []
        var hiders: [UUID: HiddenMessage] = [:]
        for row in try await pool.query(Self.membersWithout(seq, in: conversation)) {
            let person: UUID = try row.decode("user_id")
            if let time = try row.decode("hidden_at", as: Date?.self) {
                hiders[person] = HiddenMessage(at: time, position: try row.decode("position"))
            } else {
                joinedLater.insert(person)
            }
        }
        return (joinedLater, hiders)
    }

    static func membersWithout(_ seq: Int64, in conversation: UUID) -> SQL {
        """
        SELECT m.user_id, NULL::timestamptz AS hidden_at, 0::bigint AS position
        FROM read_live.conversations c
        JOIN read_live.memberships m ON m.conversation_id = c.conversation_id AND m.to_position IS NULL
        WHERE c.conversation_id = \(conversation) AND c.history_visibility = 'joined' AND m.from_seq >= \(seq)
        UNION ALL
        SELECT h.user_id, h.hidden_at, h.position FROM read_live.hidden_messages h
        WHERE h.conversation_id = \(conversation) AND h.seq = \(seq)
        """
    }
}

/// That a person has deleted a message for oneself.
package struct HiddenMessage: Sendable {
    package let at: Date
    package let position: Int64
}
