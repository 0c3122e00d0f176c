import Foundation
import Postgres

/// Recipients of one conversation whose marks, as far as they concern some messages, are the same: how receipts are
/// counted for a page of messages without looking at each member for each message.
struct ReceiptTally {
    /// The recipients received what comes after `from`, up to `to`.
    private let from: Int64
    private let to: Int64
    private let delivered: Int64
    private let read: Int64
    private let people: Int

    struct Count: Equatable {
        var recipients = 0
        var delivered = 0
        var read = 0
    }

    private init(_ row: Row) throws {
        from = try row.decode("from_seq")
        to = try row.decode("to_seq")
        delivered = try row.decode("delivered_seq")
        read = try row.decode("read_seq")
        people = try row.decode("people")
    }

    static func count(_ tallies: [ReceiptTally], at seq: Int64) -> Count {
        var count = Count()
        for tally in tallies where tally.from < seq && seq <= tally.to {
            count.recipients += tally.people
            if tally.delivered >= seq { count.delivered += tally.people }
            if tally.read >= seq { count.read += tally.people }
        }
        return count
    }

    /// The tallies of some ranges of messages, by conversation; the sender is no recipient.
    ///
    /// Who left is a recipient of what was delivered before. Marks outside a range are cut to its ends, which changes
    /// nothing for its messages but makes most marks equal. A sender who hides the own reading is shown nobody's, and one
    /// who has left nothing that came after.
    static func read(
        _ ranges: [MessageRange],
        without sender: UUID,
        on connection: PostgresConnection
    ) async throws -> [UUID: [ReceiptTally]] {
        var tallies: [UUID: [ReceiptTally]] = [:]
        for row in try await connection.query(statement(for: ranges, without: sender)) {
            tallies[try row.decode("conversation_id"), default: []].append(try ReceiptTally(row))
        }
        return tallies
    }

    static func statement(for ranges: [MessageRange], without sender: UUID) -> SQL {
        // Looked up only where somebody has left: members pay nothing for it.
        let hasLeft = ranges.contains { $0.until < .max }
        let delivered: SQL = hasLeft ? ReceiptsAsLeft.mark(.delivered, "w.delivered_seq") : "w.delivered_seq"
        let read: SQL = hasLeft ? ReceiptsAsLeft.mark(.read, "w.public_read_seq") : "w.public_read_seq"
        return """
            SELECT k.conversation_id,
                greatest(least(w.from_seq, k.last), k.first - 1) AS from_seq,
                greatest(least(CASE WHEN w.to_seq IS NULL THEN k.last ELSE least(w.to_seq, w.delivered_seq) END, k.last),
                    k.first - 1) AS to_seq,
                greatest(least(\(delivered), k.last), k.first - 1) AS delivered_seq,
                greatest(least(CASE WHEN \(SharedReading.isOn(for: sender)) THEN \(read) ELSE 0 END, k.last),
                    k.first - 1) AS read_seq,
                count(*) AS people
            FROM unnest(
                \(ranges.map(\.conversation)), \(ranges.map(\.first)), \(ranges.map(\.last)), \(ranges.map(\.until))
            ) AS k (conversation_id, first, last, until)
            JOIN read_live.watermarks w ON w.conversation_id = k.conversation_id
            WHERE w.user_id <> \(sender) AND w.from_seq < k.last AND (w.to_seq IS NULL OR w.to_seq >= k.first)
            GROUP BY 1, 2, 3, 4, 5
            """
    }
}
