package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of what a message said before it was edited, oldest first; nil where the caller may not see the message.
    ///
    /// - Throws: ``BadCursor``.
    package func versions(
        of id: UUID,
        in conversation: UUID,
        for caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<MessageVersion>? {
        let limit = Self.clamped(limit)
        var after = Int64.min
        if let cursor {
            var reader = try PageCursorReader(cursor, .versions)
            after = try reader.number()
            try reader.end()
        }
        return try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection),
                let seq = try await seq(of: id, in: access, on: connection)
            else { return nil }
            let rows = try await connection.query(
                versions(of: seq, in: access, for: caller, after: after, limit: limit + 1)
            )
            var items: [MessageVersion] = []
            var last: Int64?
            for row in rows.prefix(limit) {
                guard try row.decode("fits", as: Bool.self) else { break }
                items.append(MessageVersion(text: try row.decode("text"), timestamp: try row.decode("at")))
                last = try row.decode("replaced_position")
            }
            let hasMore = items.count < rows.count
            return ListPage(
                items: items,
                nextCursor: hasMore ? last.map { PageCursor(.versions).appending($0).text } : nil
            )
        }
    }

    /// Each with whether an answer holds it, and without its text where not.
    private func versions(
        of seq: Int64,
        in access: HistoryAccess,
        for caller: UUID,
        after position: Int64,
        limit: Int
    ) -> SQL {
        """
        SELECT w.at, w.replaced_position, w.fits, CASE WHEN w.fits THEN w.text END AS text
        FROM (
            SELECT v.at, v.replaced_position, v.text,
                coalesce(sum(octet_length(v.text)) OVER (
                    ORDER BY v.replaced_position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                    < \(answerBytes) AS fits
            FROM read_live.message_versions v
            WHERE v.conversation_id = \(access.conversation) AND v.seq = \(seq)
                AND v.replaced_position > \(position) AND v.replaced_position <= \(access.until)
                AND NOT EXISTS (
                SELECT FROM read_live.hidden_messages h
                WHERE h.user_id = \(caller) AND h.conversation_id = \(access.conversation) AND h.seq = \(seq))
            ORDER BY v.replaced_position LIMIT \(limit)
        ) w
        ORDER BY w.replaced_position
        """
    }
}
