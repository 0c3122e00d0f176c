package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// A page of a message's recipients, by id: when each received and read it. Who hides the own reading is shown no other,
    /// and who has left nothing that came after.
    ///
    /// - Throws: ``BadCursor``.
    package func receipts(
        of message: UUID,
        in conversation: UUID,
        for caller: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> ListPage<MessageReceipt>? {
        let limit = Self.clamped(limit)
        var after: SQL = "true"
        if let cursor {
            var reader = try PageCursorReader(cursor, .receipts)
            after = "w.user_id > \(try reader.id())"
            try reader.end()
        }
        return try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection),
                let seq = try await seq(of: message, in: access, on: connection)
            else { return nil }
            func isShown(_ time: SQL) -> SQL {
                ReceiptsAsLeft.isShown(time, in: "w.conversation_id", until: "\(access.until)")
            }
            let rows = try await connection.query(
                """
                SELECT w.user_id, d.at AS delivered_at,
                    CASE WHEN w.user_id = \(caller) OR \(SharedReading.isOn(for: caller)) THEN r.at END AS read_at
                FROM read_live.watermarks w
                JOIN read_live.messages m ON m.conversation_id = w.conversation_id AND m.seq = \(seq)
                LEFT JOIN LATERAL (\(Self.advance(.delivered, to: seq))) d ON d.to_seq >= \(seq) AND \(isShown("d.at"))
                LEFT JOIN LATERAL (\(Self.advance(.read, to: seq))) r ON r.to_seq >= \(seq) AND \(isShown("r.at"))
                WHERE w.conversation_id = \(conversation) AND w.user_id <> m.sender_id AND w.from_seq < \(seq)
                    AND (w.to_seq IS NULL OR least(w.to_seq, w.delivered_seq) >= \(seq)) AND \(after)
                ORDER BY w.user_id
                LIMIT \(limit + 1)
                """
            )
            let page = try rows.prefix(limit).map { row in
                MessageReceipt(
                    userId: WireID(try row.decode("user_id")),
                    deliveredAt: try row.decode("delivered_at"),
                    readAt: try row.decode("read_at")
                )
            }
            guard rows.count > limit, let last = page.last else { return ListPage(items: page, nextCursor: nil) }
            return ListPage(items: page, nextCursor: PageCursor(.receipts).appending(last.userId.uuid).text)
        }
    }

    /// The last advance of a mark of `w` that begins before a message: the one that holds it, if any does.
    private static func advance(_ kind: ReceiptKind, to seq: Int64) -> SQL {
        """
        SELECT x.at, x.to_seq FROM read_live.receipt_ranges x
        WHERE x.conversation_id = w.conversation_id AND x.user_id = w.user_id AND x.kind = \(kind.rawValue)
            AND x.from_seq < \(seq)
        ORDER BY x.from_seq DESC LIMIT 1
        """
    }
}
