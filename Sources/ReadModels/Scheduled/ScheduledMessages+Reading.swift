import EventStore
package import Foundation
import Postgres

extension ScheduledMessages {
    static let columns: SQL = """
        s.author_id, s.message_id, s.conversation_id, s.send_at, s.created_at, s.key_id, s.sealed, s.failure, s.failed_at,
        s.attempts, s.claim
        """

    static func isStill(_ claim: Claim) -> SQL {
        "s.author_id = \(claim.message.author) AND s.message_id = \(claim.message.id) AND s.claim = \(claim.token)"
    }

    package func find(_ id: UUID, of author: UUID) async throws -> ScheduledSend? {
        let rows = try await pool.query(
            """
            SELECT \(Self.columns) FROM parley.scheduled_messages s
            WHERE s.author_id = \(author) AND s.message_id = \(id)
            """
        )
        return try await messages(rows).first
    }

    /// A page of what an author has scheduled, the soonest first.
    ///
    /// - Throws: ``BadCursor``.
    package func list(
        of author: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> (items: [ScheduledSend], nextCursor: String?) {
        let limit = Queries.clamped(limit)
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, .scheduled)
            let time = try reader.date()
            let id = try reader.id()
            try reader.end()
            after = "(s.send_at, s.message_id) > (\(time), \(id))"
        }
        let rows = try await pool.query(
            """
            SELECT \(Self.columns) FROM parley.scheduled_messages s
            WHERE s.author_id = \(author) AND \(after)
            ORDER BY s.send_at, s.message_id
            LIMIT \(limit + 1)
            """
        )
        let all = try await messages(rows)
        var room = answerBytes
        let items = all.prefix(limit).prefix { message in
            defer { room -= message.content?.text.utf8.count ?? 0 }
            return room > 0
        }
        guard items.count < all.count, let last = items.last else { return (all, nil) }
        return (Array(items), PageCursor(.scheduled).appending(last.sendAt).appending(last.id).text)
    }

    func claims(_ rows: Rows) async throws -> [Claim] {
        let messages = try await messages(rows)
        return try zip(rows, messages).map { row, message in
            Claim(
                token: try row.decode("claim"),
                message: message,
                attempts: try row.decode("attempts"),
                rivalUntil: try row.decode("rival_until")
            )
        }
    }

    /// Not while a connection is held: a key may have to be read.
    private func messages(_ rows: Rows) async throws -> [ScheduledSend] {
        let sealed = try rows.map { row in
            (
                author: try row.decode("author_id", as: UUID.self),
                message: try row.decode("message_id", as: UUID.self),
                content: SealedDraft(
                    key: try row.decode("key_id"),
                    bytes: try row.decode("sealed", as: Bytes.self).bytes
                )
            )
        }
        let contents = try await keyring.open(scheduled: sealed)
        return try zip(rows, contents).map { row, content in
            let failedAt: Date? = try row.decode("failed_at")
            let code: String? = try row.decode("failure")
            return ScheduledSend(
                id: try row.decode("message_id"),
                author: try row.decode("author_id"),
                conversation: try row.decode("conversation_id"),
                sendAt: try row.decode("send_at"),
                content: content.flatMap { try? JSONDecoder().decode(ScheduledSend.Content.self, from: Data($0)) },
                createdAt: try row.decode("created_at"),
                failure: failedAt.flatMap { at in code.map { ScheduledSend.Failure(code: $0, at: at) } }
            )
        }
    }
}
