import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres

/// Counts unread messages in the log itself, which never lags, where the conversation's state does not say.
struct UnreadInLog: Sendable {
    let eventStore: EventStore

    struct Mark {
        let conversation: UUID
        let readSeq: Int64
    }

    /// The messages after each mark that are not the caller's own, nor deleted.
    ///
    /// A message's version in the stream is no smaller than its `seq`, so the index on (stream, version) leaves out what
    /// was read long ago.
    func counts(after marks: [Mark], of caller: UUID) async throws -> [UUID: Int] {
        guard !marks.isEmpty else { return [:] }
        let rows = try await eventStore.pool.query(
            """
            SELECT m.conversation_id, (
                SELECT count(*) FILTER (
                        WHERE e.type NOT IN ('messageDeleted', 'messageExpired') AND e.actor <> \(caller))
                    - count(*) FILTER (
                        WHERE e.type IN ('messageDeleted', 'messageExpired')
                            AND (e.payload ->> 'sender')::uuid <> \(caller))
                FROM parley.events e
                WHERE e.partition = m.partition AND e.category = \(StreamCategory.conversation.rawValue)
                    AND e.stream_id = m.conversation_id AND e.version > m.read_seq
                    AND e.type IN (
                        'messageSent', 'messageForwarded', 'limitedMessageSent', 'attachmentsSent', 'messageDeleted',
                        'messageExpired')
                    AND (e.payload ->> 'seq')::bigint > m.read_seq) AS unread
            FROM unnest(
                \(marks.map { Int32(clamping: eventStore.identity.partition(of: $0.conversation)) }),
                \(marks.map(\.conversation)), \(marks.map(\.readSeq))
            ) AS m (partition, conversation_id, read_seq)
            """
        )
        var counts: [UUID: Int] = [:]
        for row in rows {
            counts[try row.decode("conversation_id", as: UUID.self)] = try row.decode("unread", as: Int.self)
        }
        return counts
    }
}
