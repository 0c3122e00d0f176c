import Foundation
import ParleyWire
import Postgres

/// When the recipients of some messages of one conversation received and read them.
struct ReceiptTimes {
    /// Messages with more recipients show counts only.
    static let maximumRecipients = 50

    private var advances: [Advance] = []

    private struct Advance {
        let person: WireID
        let kind: ReceiptKind?
        let from: Int64
        let to: Int64
        let at: Date
    }

    struct Moments {
        var delivered: [WireID: Date] = [:]
        var read: [WireID: Date] = [:]
    }

    func at(_ seq: Int64) -> Moments {
        var moments = Moments()
        for advance in advances where advance.from < seq && seq <= advance.to {
            switch advance.kind {
            case .delivered: moments.delivered[advance.person] = advance.at
            case .read: moments.read[advance.person] = advance.at
            case nil: break
            }
        }
        return moments
    }

    /// The times of some ranges of messages, by conversation; the sender is no recipient.
    ///
    /// Of each person, the advances are read from the one that holds the range's first message on; a sender who hides the
    /// own reading is shown nobody's.
    static func read(
        _ ranges: [MessageRange],
        without sender: UUID,
        on connection: PostgresConnection
    ) async throws -> [UUID: ReceiptTimes] {
        guard !ranges.isEmpty else { return [:] }
        let rows = try await connection.query(statement(for: ranges, without: sender))
        var times: [UUID: ReceiptTimes] = [:]
        for row in rows {
            times[try row.decode("conversation_id"), default: ReceiptTimes()].advances.append(
                Advance(
                    person: WireID(try row.decode("user_id")),
                    kind: ReceiptKind(rawValue: try row.decode("kind")),
                    from: try row.decode("from_seq"),
                    to: try row.decode("to_seq"),
                    at: try row.decode("at")
                )
            )
        }
        return times
    }

    static func statement(for ranges: [MessageRange], without sender: UUID) -> SQL {
        // Looked up only where somebody has left: members pay nothing for it.
        let isShown: SQL =
            ranges.contains { $0.until < .max }
            ? ReceiptsAsLeft.isShown("r.at", in: "p.conversation_id", until: "p.until") : "true"
        return """
            SELECT r.conversation_id, r.user_id, r.kind, r.from_seq, r.to_seq, r.at
            FROM (
                SELECT DISTINCT k.conversation_id, k.first, k.last, k.until, w.user_id
                FROM unnest(
                    \(ranges.map(\.conversation)), \(ranges.map(\.first)), \(ranges.map(\.last)), \(ranges.map(\.until))
                ) AS k (conversation_id, first, last, until)
                JOIN read_live.watermarks w ON w.conversation_id = k.conversation_id
                WHERE w.user_id <> \(sender) AND w.from_seq < k.last AND (w.to_seq IS NULL OR w.to_seq >= k.first)
            ) p
            CROSS JOIN (VALUES (1::smallint), (2::smallint)) AS x (kind)
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT b.from_seq FROM read_live.receipt_ranges b
                    WHERE b.conversation_id = p.conversation_id AND b.user_id = p.user_id AND b.kind = x.kind
                        AND b.from_seq < p.first
                    ORDER BY b.from_seq DESC LIMIT 1), 0) AS from_seq
            ) s
            JOIN read_live.receipt_ranges r
                ON r.conversation_id = p.conversation_id AND r.user_id = p.user_id AND r.kind = x.kind
                AND r.from_seq >= s.from_seq AND r.from_seq < p.last
            WHERE (x.kind = \(ReceiptKind.delivered.rawValue) OR \(SharedReading.isOn(for: sender))) AND \(isShown)
            """
    }
}
