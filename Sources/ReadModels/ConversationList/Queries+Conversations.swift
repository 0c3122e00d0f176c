package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of the caller's list, newest activity first, with everyone whom it names.
    ///
    /// - Throws: ``BadCursor``.
    package func conversations(
        of caller: UUID,
        filter: ConversationFilter?,
        matching text: String?,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<Conversation> {
        let query = ConversationListQuery(
            caller: caller,
            filter: filter,
            text: text,
            cursor: cursor,
            limit: Self.clamped(limit),
            budget: answerBytes
        )
        let page = try await pool.withConnection { try await query.page(on: $0) }
        let rows = try await withDrafts(page.rows)
        return ListPage(items: rows.map(\.conversation), nextCursor: page.nextCursor, users: page.users)
    }

    /// One conversation as the caller, a member or former member, sees it, with everyone whom it names.
    package func conversation(_ id: UUID, for caller: UUID) async throws -> Conversation? {
        let rows = try await pool.withConnection { connection in
            let key: SQL = "SELECT \(caller)::uuid AS user_id, \(id)::uuid AS conversation_id, 1 AS n"
            var rows = try await ConversationQuery.rows(key, on: connection)
            let people = try await ConversationQuery.addParticipants(to: &rows, on: connection)
            let named = try await ConversationQuery.people(namedBy: rows, known: people, on: connection)
            for place in rows.indices { rows[place].conversation.users = named }
            return rows
        }
        return try await withDrafts(rows).first?.conversation
    }

    /// One conversation as each of these people sees it, by person; without those who never were members.
    package func conversation(_ id: UUID, forEach callers: [UUID]) async throws -> [UUID: Conversation] {
        guard !callers.isEmpty else { return [:] }
        let rows = try await conversations(
            keys: """
                SELECT k.user_id, \(id)::uuid AS conversation_id, k.n
                FROM unnest(\(callers)) WITH ORDINALITY AS k (user_id, n)
                """
        )
        return Dictionary(rows.map { ($0.caller, $0.conversation) }) { first, _ in first }
    }

    /// These conversations as the caller sees them, by id; without those in which the caller never was.
    package func conversations(_ ids: [UUID], for caller: UUID) async throws -> [UUID: Conversation] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await conversations(
            keys: """
                SELECT \(caller)::uuid AS user_id, k.conversation_id, k.n
                FROM unnest(\(ids)) WITH ORDINALITY AS k (conversation_id, n)
                """
        )
        return Dictionary(rows.map { ($0.id, $0.conversation) }) { first, _ in first }
    }

    private func conversations(keys: SQL) async throws -> [ConversationRow] {
        let rows = try await pool.withConnection { connection in
            var rows = try await ConversationQuery.rows(keys, on: connection)
            _ = try await ConversationQuery.addParticipants(to: &rows, on: connection)
            return rows
        }
        return try await withDrafts(rows)
    }
}
