package import Foundation
import Postgres

extension Queries {
    /// What each of these people has given a message, without those who have given it nothing.
    package func reactions(
        to seq: Int64,
        in conversation: UUID,
        by people: Set<UUID>
    ) async throws -> [UUID: Set<String>] {
        guard !people.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT r.user_id, r.emoji FROM read_live.reactions r
            WHERE r.conversation_id = \(conversation) AND r.seq = \(seq) AND r.user_id = ANY (\(Array(people)))
            """
        )
        var given: [UUID: Set<String>] = [:]
        for row in rows { given[try row.decode("user_id"), default: []].insert(try row.decode("emoji")) }
        return given
    }
}
