package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of the people in a conversation by the time of joining; as it was left, for a former member.
    ///
    /// - Throws: ``BadCursor``.
    package func participants(
        of id: UUID,
        for caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<Participant>? {
        let limit = Self.clamped(limit)
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, .participants)
            let joinedAt = try reader.date()
            after = "(m.joined_at, m.user_id) > (\(joinedAt), \(try reader.id()))"
            try reader.end()
        }
        return try await pool.withConnection { connection in
            let key: SQL = "SELECT \(caller)::uuid AS user_id, \(id)::uuid AS conversation_id, 1 AS n"
            guard let row = try await ConversationQuery.rows(key, on: connection).first else { return nil }
            let position = row.toPosition ?? .max
            let rows = try await connection.query(
                """
                SELECT \(Participant.columns(at: "k.position"))
                FROM (SELECT \(position)::bigint AS position) k
                CROSS JOIN read_live.memberships m
                \(Participant.joins(at: "k.position"))
                WHERE m.conversation_id = \(id) AND m.from_position < k.position
                    AND (m.to_position IS NULL OR m.to_position > k.position) AND \(after)
                ORDER BY m.joined_at, m.user_id
                LIMIT \(limit + 1)
                """
            )
            let page = try rows.prefix(limit).map(Participant.init)
            guard rows.count > limit, let last = page.last else { return ListPage(items: page, nextCursor: nil) }
            let next = PageCursor(.participants).appending(last.joinedAt).appending(last.userId.uuid)
            return ListPage(items: page, nextCursor: next.text)
        }
    }

    /// These people in a conversation, by id: their newest membership each, also one that has ended.
    ///
    /// - Parameter viewer: who sees them: a former member, as they were when that one left; nil for all who are there.
    package func participants(
        _ people: [UUID],
        of id: UUID,
        for viewer: UUID? = nil
    ) async throws -> [UUID: Participant] {
        guard !people.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT DISTINCT ON (m.user_id) \(Participant.columns(at: "k.position"))
            FROM (
                SELECT coalesce((
                    SELECT v.to_position FROM read_live.memberships v
                    WHERE v.conversation_id = \(id) AND v.user_id = \(viewer)
                    ORDER BY v.from_position DESC LIMIT 1), \(Int64.max)) AS position
            ) k
            JOIN read_live.memberships m ON m.from_position < k.position
            \(Participant.joins(at: "k.position"))
            WHERE m.conversation_id = \(id) AND m.user_id = ANY (\(people))
            ORDER BY m.user_id, m.from_position DESC
            """
        )
        let participants = try rows.map(Participant.init)
        return Dictionary(participants.map { ($0.userId.uuid, $0) }) { first, _ in first }
    }

    /// Whose membership of a conversation has ended after a position, whether or not they have come back.
    package func leavers(of id: UUID, after position: Int64) async throws -> Set<UUID> {
        let rows = try await pool.query(Self.leavers(of: id, after: position))
        return Set(try rows.map { try $0.decode("user_id", as: UUID.self) })
    }

    static func leavers(of id: UUID, after position: Int64) -> SQL {
        """
        SELECT m.user_id FROM read_live.memberships m
        WHERE m.conversation_id = \(id) AND m.to_position > \(position)
        """
    }

    /// Who is in a conversation now.
    package func members(of id: UUID) async throws -> [UUID] {
        let rows = try await pool.query(
            """
            SELECT m.user_id FROM read_live.memberships m
            WHERE m.conversation_id = \(id) AND m.to_position IS NULL
            """
        )
        return try rows.map { try $0.decode("user_id") }
    }

    /// The conversations in which a person is now.
    package func conversationIDs(of person: UUID) async throws -> [UUID] {
        let rows = try await pool.query(
            """
            SELECT m.conversation_id FROM read_live.memberships m
            WHERE m.user_id = \(person) AND m.to_position IS NULL
            """
        )
        return try rows.map { try $0.decode("conversation_id") }
    }
}
