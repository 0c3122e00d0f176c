package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of what a person has starred, over all conversations, the newest star first: without what is deleted, and
    /// what the person may not see any more.
    ///
    /// - Throws: ``BadCursor``.
    package func starred(by person: UUID, after cursor: String?, limit: Int) async throws -> ListPage<StarredMessage> {
        let limit = Self.clamped(limit)
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, .stars)
            let time = try reader.date()
            let id = try reader.id()
            try reader.end()
            after = "s.starred_at <= \(time) AND (s.starred_at < \(time) OR s.message_id > \(id))"
        }
        return try await pool.withConnection { connection in
            let rows = try await connection.query(Self.stars(of: person, where: after, limit: limit + 1))
            let stars = try rows.prefix(limit).map(Star.init)
            let seen = try await read(stars, for: person, on: connection)
            var room = AnswerRoom(answerBytes)
            try await room.learn(Set(seen.values.flatMap(\.values).flatMap(\.named)), on: connection)
            var page = StarPage(room)
            for star in stars {
                guard page.add(star, seen[star.conversation]?[star.seq]) else { break }
            }
            let isLast = page.count == stars.count && rows.count <= limit
            return ListPage(items: page.items, nextCursor: isLast ? nil : page.cursor, users: page.room.users)
        }
    }

    /// Where the list goes on does not depend on what becomes of messages: what is deleted is left out here already, so that
    /// pages are full.
    static func stars(of person: UUID, where condition: SQL, limit: Int) -> SQL {
        """
        SELECT s.conversation_id, s.message_id, s.seq, s.starred_at
        FROM parley.stars s
        CROSS JOIN LATERAL (
            SELECT FROM read_live.messages m
            WHERE m.conversation_id = s.conversation_id AND m.seq = s.seq AND m.deleted_at IS NULL
                AND NOT EXISTS (
                    SELECT FROM read_live.hidden_messages h
                    WHERE h.user_id = \(person) AND h.conversation_id = s.conversation_id AND h.seq = s.seq)
            LIMIT 1) m
        WHERE s.person_id = \(person) AND \(condition)
        ORDER BY s.starred_at DESC, s.message_id
        LIMIT \(limit)
        """
    }

    /// Those messages that the person sees, by conversation and place.
    private func read(
        _ stars: [Star],
        for person: UUID,
        on connection: PostgresConnection
    ) async throws -> [UUID: [Int64: Message]] {
        var seen: [UUID: [Int64: Message]] = [:]
        let conversations = Array(Set(stars.map(\.conversation)))
        guard !conversations.isEmpty else { return seen }
        let accesses = try await HistoryAccess.read(of: person, in: conversations, on: connection)
        var lines = accesses.map { access in
            access.ranges(of: stars.filter { $0.conversation == access.conversation }.map(\.seq))[...]
        }
        // A reader takes one range of each conversation.
        while lines.contains(where: { !$0.isEmpty }) {
            var reader = MessageReader(caller: person, budget: .max)
            try await reader.read(lines.indices.compactMap { lines[$0].popFirst() }, on: connection)
            for (conversation, messages) in reader.messages {
                for message in messages {
                    if let seq = message.seq { seen[conversation, default: [:]][seq] = message }
                }
            }
        }
        return seen
    }
}

/// One that was starred.
private struct Star {
    let conversation: UUID
    let message: UUID
    let seq: Int64
    let at: Date

    init(_ row: Row) throws {
        conversation = try row.decode("conversation_id")
        message = try row.decode("message_id")
        seq = try row.decode("seq")
        at = try row.decode("starred_at")
    }
}

/// As many of them as fit an answer.
private struct StarPage {
    private(set) var items: [StarredMessage] = []
    /// With those that are not for the person to see any more.
    private(set) var count = 0
    private(set) var cursor: String?
    private(set) var room: AnswerRoom

    init(_ room: AnswerRoom) {
        self.room = room
    }

    /// - Returns: false where it does not fit.
    mutating func add(_ star: Star, _ message: Message?) -> Bool {
        if let message, message.deletedAt == nil {
            guard room.take(message.weight, naming: message.named) else { return false }
            items.append(StarredMessage(message: message, starredAt: star.at))
        }
        count += 1
        cursor = PageCursor(.stars).appending(star.at).appending(star.message).text
        return true
    }
}
