package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// What a message said before it was edited, oldest first; nil where the caller may not see the message.
    package func versions(of id: UUID, in conversation: UUID, for caller: UUID) async throws -> [MessageVersion]? {
        try await pool.withConnection { connection in
            guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection),
                let seq = try await seq(of: id, in: access, on: connection)
            else { return nil }
            let rows = try await connection.query(
                """
                SELECT v.text, v.at FROM read_live.message_versions v
                WHERE v.conversation_id = \(conversation) AND v.seq = \(seq) AND v.replaced_position <= \(access.until)
                    AND NOT EXISTS (
                    SELECT FROM read_live.hidden_messages h
                    WHERE h.user_id = \(caller) AND h.conversation_id = \(conversation) AND h.seq = \(seq))
                ORDER BY v.replaced_position
                """
            )
            return try rows.map { MessageVersion(text: try $0.decode("text"), timestamp: try $0.decode("at")) }
        }
    }
}
