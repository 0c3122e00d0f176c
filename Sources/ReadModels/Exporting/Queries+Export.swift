package import Foundation
package import ParleyWire
import Postgres

/// What a person is told of oneself, piece by piece.
extension Queries {
    /// Where a page of memberships went on.
    package struct MembershipPlace: Sendable {
        let conversation: UUID
        let fromPosition: Int64
    }

    /// A page of all memberships of a person, those that have ended too, by conversation.
    package func exportedConversations(
        of person: UUID,
        after place: MembershipPlace?,
        limit: Int
    ) async throws -> (lines: [ExportLine.Conversation], last: MembershipPlace?) {
        let after: SQL =
            place.map { "(m.conversation_id, m.from_position) > (\($0.conversation), \($0.fromPosition))" } ?? "true"
        let rows = try await pool.query(
            """
            SELECT m.conversation_id, m.from_position, c.kind, m.role, m.joined_at, m.left_at,
                CASE WHEN m.to_position IS NULL THEN c.group_name ELSE (\(GroupAsLeft.groupName)) END AS group_name,
                coalesce(w.delivered_seq, m.from_seq) AS delivered_seq, coalesce(w.read_seq, m.from_seq) AS read_seq
            FROM read_live.memberships m
            JOIN read_live.conversations c ON c.conversation_id = m.conversation_id
            LEFT JOIN read_live.watermarks w ON w.conversation_id = m.conversation_id AND w.user_id = m.user_id
                AND w.from_position = m.from_position
            WHERE m.user_id = \(person) AND \(after)
            ORDER BY m.conversation_id, m.from_position
            LIMIT \(limit)
            """
        )
        let lines = try rows.map { row in
            ExportLine.Conversation(
                id: WireID(try row.decode("conversation_id")),
                conversationType: ConversationType(rawValue: try row.decode("kind")),
                groupName: try row.decode("group_name"),
                role: ParticipantRole(rawValue: try row.decode("role")),
                joinedAt: try row.decode("joined_at"),
                leftAt: try row.decode("left_at"),
                deliveredSeq: try row.decode("delivered_seq"),
                readSeq: try row.decode("read_seq")
            )
        }
        let last = try rows.last.map { row in
            MembershipPlace(
                conversation: try row.decode("conversation_id"),
                fromPosition: try row.decode("from_position")
            )
        }
        return (lines, last)
    }

    /// The messages of a conversation, of a span of `seq`, that a person sent, as far as an answer holds them.
    ///
    /// - Returns: also the `seq` up to which the span was read.
    package func exportedMessages(
        of person: UUID,
        in conversation: UUID,
        after seq: Int64,
        upTo last: Int64
    ) async throws -> (lines: [ExportLine.Message], readTo: Int64) {
        let rows = try await pool.query(
            """
            SELECT x.message_id, x.seq, x.text, x.attachments, x.sent_at, x.reply_to_id, x.before + x.bytes >= \(answerBytes) AS is_full
            FROM (
                SELECT m.message_id, m.seq, m.text, m.attachments, m.sent_at, m.reply_to_id, b.bytes,
                    sum(b.bytes) OVER (ORDER BY m.seq) - b.bytes AS before
                FROM read_live.messages m
                CROSS JOIN LATERAL (SELECT coalesce(octet_length(m.text), 0) AS bytes) b
                WHERE m.conversation_id = \(conversation) AND m.seq > \(seq) AND m.seq <= \(last)
                    AND m.sender_id = \(person)) x
            WHERE x.before < \(answerBytes)
            ORDER BY x.seq
            """
        )
        let lines = try rows.map { row in
            let files = try MessageFiles.decode(try row.decode("attachments"))
            return ExportLine.Message(
                id: WireID(try row.decode("message_id")),
                conversationId: WireID(conversation),
                seq: try row.decode("seq"),
                text: try row.decode("text"),
                timestamp: try row.decode("sent_at"),
                replyToId: try row.decode("reply_to_id", as: UUID?.self).map { WireID($0) },
                attachments: files.isEmpty ? nil : files.map(Attachment.init)
            )
        }
        let isFull = try rows.last?.decode("is_full", as: Bool.self) ?? false
        return (lines, isFull ? lines.last?.seq ?? last : last)
    }

    /// The newest `seq` of a conversation.
    package func headSeq(of conversation: UUID) async throws -> Int64 {
        let rows = try await pool.query(
            "SELECT c.head_seq FROM read_live.conversations c WHERE c.conversation_id = \(conversation)"
        )
        return try rows.first?.decode("head_seq") ?? 0
    }
}
