package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A piece of a conversation's history, ascending, with everyone whom it names.
    ///
    /// - Throws: ``BadCursor``, ``UnknownMessage``.
    package func history(
        of conversation: UUID,
        for caller: UUID,
        at anchor: HistoryAnchor,
        limit: Int
    ) async throws -> HistoryPage? {
        let limit = Self.clamped(limit)
        return try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection) else {
                return nil
            }
            let plan = try await plan(of: access, for: caller, at: anchor, limit: limit, on: connection)
            var reader = HistoryReader(caller: caller, budget: answerBytes)
            try await reader.read([plan], on: connection)
            return reader.selections.first?.page(of: reader.messages[conversation] ?? [], users: reader.users)
        }
    }

    private func plan(
        of access: HistoryAccess,
        for caller: UUID,
        at anchor: HistoryAnchor,
        limit: Int,
        on connection: PostgresConnection
    ) async throws -> HistoryPlan {
        func around(_ key: HistoryKey) -> HistoryPlan {
            HistoryPlan(access: access, split: key, reach: .around, limit: limit)
        }
        switch anchor {
        case .newest: return .newest(limit, of: access)
        case .before(let cursor):
            return HistoryPlan(access: access, split: try HistoryKey(cursor: cursor), reach: .older, limit: limit)
        case .after(let cursor):
            return HistoryPlan(access: access, split: try HistoryKey(cursor: cursor).next, reach: .newer, limit: limit)
        case .around(.seq(let seq)): return around(HistoryKey(seq))
        case .around(.unread):
            let seq = try await firstUnread(in: access.conversation, for: caller, on: connection)
            return around(HistoryKey(seq ?? access.ceiling))
        case .around(.message(let id)):
            if let seq = try await seq(of: id, in: access, on: connection) { return around(HistoryKey(seq)) }
            let found = try await SystemMessageQuery.items([id], in: access.conversation, on: connection).first
            guard let found, access.contains(found.key) else { throw UnknownMessage() }
            return around(found.key)
        }
    }

    /// One message, as far as the caller may see it.
    package func message(_ id: UUID, in conversation: UUID, for caller: UUID) async throws -> Message? {
        try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection) else {
                return nil
            }
            guard let seq = try await seq(of: id, in: access, on: connection) else {
                let found = try await SystemMessageQuery.items([id], in: conversation, on: connection).first
                return found.flatMap { access.contains($0.key) ? $0.message : nil }
            }
            var reader = MessageReader(caller: caller, budget: answerBytes)
            try await reader.read([access.range(of: seq)], on: connection)
            return reader.messages[conversation]?.first
        }
    }

    /// One message as its sender sees it, whoever may.
    package func message(_ seq: Int64, in conversation: UUID) async throws -> Message? {
        try await pool.withConnection { connection in
            let rows = try await connection.query(
                """
                SELECT m.sender_id FROM read_live.messages m
                WHERE m.conversation_id = \(conversation) AND m.seq = \(seq)
                """
            )
            guard let sender: UUID = try rows.first?.decode("sender_id") else { return nil }
            var reader = MessageReader(caller: sender, budget: .max, hides: false)
            let range = MessageRange(conversation: conversation, first: seq, last: seq, floor: 0)
            try await reader.read([range], on: connection)
            return reader.messages[conversation]?.first
        }
    }

    /// One message, by its place, as far as the caller may see it.
    package func message(_ seq: Int64, in conversation: UUID, for caller: UUID) async throws -> Message? {
        try await messages([seq], in: conversation, for: caller)[seq]
    }

    /// Those of these messages that the caller may see, by `seq`.
    package func messages(
        _ seqs: [Int64],
        in conversation: UUID,
        for caller: UUID
    ) async throws -> [Int64: Message] {
        try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection) else {
                return [:]
            }
            var found: [Int64: Message] = [:]
            for range in access.ranges(of: seqs) {
                var reader = MessageReader(caller: caller, budget: .max)
                try await reader.read([range], on: connection)
                for message in reader.messages[conversation] ?? [] {
                    if let seq = message.seq { found[seq] = message }
                }
            }
            return found
        }
    }

    /// Who sent the newest messages of a span, newest first.
    package func senders(
        in conversation: UUID,
        after seq: Int64,
        upTo last: Int64,
        limit: Int
    ) async throws -> [(seq: Int64, sender: UUID)] {
        let rows = try await pool.query(
            """
            SELECT m.seq, m.sender_id FROM read_live.messages m
            WHERE m.conversation_id = \(conversation) AND m.seq > \(seq) AND m.seq <= \(last)
            ORDER BY m.seq DESC
            LIMIT \(limit)
            """
        )
        return try rows.map { (try $0.decode("seq"), try $0.decode("sender_id")) }
    }

    /// What answers to these messages show of them, by `seq`.
    package func quotes(_ seqs: [Int64], in conversation: UUID) async throws -> [Int64: ReplyTo] {
        guard !seqs.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT m.seq, m.message_id, m.sender_id, m.text, m.attachments FROM read_live.messages m
            WHERE m.conversation_id = \(conversation) AND m.seq = ANY (\(seqs))
            """
        )
        let quotes = try rows.map { row in
            ReplyTo(
                id: WireID(try row.decode("message_id")),
                seq: try row.decode("seq"),
                senderId: WireID(try row.decode("sender_id")),
                text: try row.decode("text"),
                attachments: try MessageFiles.kinds(try row.decode("attachments"))
            )
        }
        return Dictionary(quotes.map { ($0.seq, $0) }) { first, _ in first }
    }

    private func firstUnread(
        in conversation: UUID,
        for caller: UUID,
        on connection: PostgresConnection
    ) async throws -> Int64? {
        let key: SQL = "SELECT \(caller)::uuid AS user_id, \(conversation)::uuid AS conversation_id, 1 AS n"
        return try await ConversationQuery.rows(key, on: connection).first?.conversation.firstUnreadSeq
    }

    /// The place of a message that the caller may see.
    func seq(of id: UUID, in access: HistoryAccess, on connection: PostgresConnection) async throws -> Int64? {
        let rows = try await connection.query(
            """
            SELECT m.seq FROM read_live.messages m
            WHERE m.conversation_id = \(access.conversation) AND m.message_id = \(id)
            """
        )
        guard let seq: Int64 = try rows.first?.decode("seq"), access.contains(seq) else { return nil }
        return seq
    }
}
