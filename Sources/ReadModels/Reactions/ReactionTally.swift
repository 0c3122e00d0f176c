import Foundation
import ParleyWire
import Postgres

/// Reads reactions to messages as one person sees them.
enum ReactionTally {
    /// Of those who have given a reaction, so many are named, the first first.
    static let namedPeople = 50

    /// - Parameter messages: those that may have reactions, and where the log had the end of the viewer's membership; the
    ///   largest number while it lasts. What was given since is not shown.
    /// - Returns: by conversation and `seq`, the reactions in the order in which they were first given.
    static func read(
        _ messages: [(conversation: UUID, seq: Int64, until: Int64)],
        for viewer: UUID,
        on connection: PostgresConnection
    ) async throws -> [UUID: [Int64: [Reaction]]] {
        guard !messages.isEmpty else { return [:] }
        let rows = try await connection.query(statement(for: messages, viewer))
        var tally: [UUID: [Int64: [Reaction]]] = [:]
        for row in rows {
            let reaction = Reaction(
                emoji: try row.decode("emoji"),
                count: try row.decode("count"),
                mine: try row.decode("mine"),
                userIds: try row.decode("people", as: [UUID].self).map(WireID.init)
            )
            let conversation: UUID = try row.decode("conversation_id")
            tally[conversation, default: [:]][try row.decode("seq"), default: []].append(reaction)
        }
        return tally
    }

    static func statement(for messages: [(conversation: UUID, seq: Int64, until: Int64)], _ viewer: UUID) -> SQL {
        """
        SELECT r.conversation_id, r.seq, r.emoji, count(*) AS count, bool_or(r.user_id = \(viewer)) AS mine,
            (array_agg(r.user_id ORDER BY r.position))[1:\(Int64(namedPeople))] AS people
        FROM unnest(
            \(messages.map(\.conversation)), \(messages.map(\.seq)), \(messages.map(\.until))
        ) AS k (conversation_id, seq, until)
        JOIN read_live.reactions r ON r.conversation_id = k.conversation_id AND r.seq = k.seq
            AND r.position <= k.until
        GROUP BY r.conversation_id, r.seq, r.emoji
        ORDER BY min(r.position)
        """
    }
}
