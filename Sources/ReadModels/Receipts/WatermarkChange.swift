import Foundation
import Messaging
import Postgres

/// What a batch changes of one person's marks in one conversation: in the span that was open before it, and in the
/// spans that begin in it.
struct WatermarkChange {
    private var open = Span(fromPosition: 0, fromSeq: 0)
    private var begun: [Span] = []

    private struct Span {
        let fromPosition: Int64
        let fromSeq: Int64
        var toSeq: Int64?
        /// The own mark, which others are not shown.
        var read: MarkChange
        var delivered = Mark(kind: .delivered)
        var publicRead = Mark(kind: .read)

        init(fromPosition: Int64, fromSeq: Int64) {
            self.fromPosition = fromPosition
            self.fromSeq = fromSeq
            // Of a span that was open before, the table knows where the mark stood.
            read = fromPosition == 0 ? MarkChange() : MarkChange(startingAt: fromSeq)
            delivered.seq = fromSeq
            publicRead.seq = fromSeq
        }

        /// Once the membership has ended, nothing is received any more.
        mutating func advance(to mark: ReceiptsAdvanced.Mark, at time: Date) {
            guard toSeq == nil else { return }
            delivered.advance(to: mark.deliveredSeq, at: time)
            publicRead.advance(to: mark.readSeqForOthers, at: time)
            read.advance(to: mark.readSeq)
        }

        mutating func markUnread(after seq: Int64) {
            guard toSeq == nil else { return }
            read.goBack(to: seq)
        }

        var isChanged: Bool { !advances.isEmpty || read.lowest > 0 || read.goesBack || toSeq != nil }

        var advances: [Advance] { delivered.advances + publicRead.advances }
    }

    private struct Mark {
        let kind: ReceiptKind
        var seq: Int64 = 0
        var advances: [Advance] = []

        mutating func advance(to new: Int64, at time: Date) {
            guard new > seq else { return }
            advances.append(Advance(kind: kind, from: seq, to: new, at: time))
            seq = new
        }
    }

    private struct Advance {
        let kind: ReceiptKind
        let from: Int64
        let to: Int64
        let at: Date
    }

    mutating func join(at position: Int64, headSeq: Int64) {
        begun.append(Span(fromPosition: position, fromSeq: headSeq))
    }

    mutating func leave(headSeq: Int64) {
        if let last = begun.indices.last {
            begun[last].toSeq = begun[last].toSeq ?? headSeq
        } else {
            open.toSeq = open.toSeq ?? headSeq
        }
    }

    mutating func advance(to mark: ReceiptsAdvanced.Mark, at time: Date) {
        if let last = begun.indices.last {
            begun[last].advance(to: mark, at: time)
        } else {
            open.advance(to: mark, at: time)
        }
    }

    mutating func markUnread(after seq: Int64) {
        if let last = begun.indices.last {
            begun[last].markUnread(after: seq)
        } else {
            open.markUnread(after: seq)
        }
    }

    // MARK: Statements

    /// The ranges of open spans come first: they begin where the marks stood before the batch.
    static func statements(for changes: [MembershipKey: WatermarkChange], in schema: ReadSchema) -> [SQL] {
        var continued: [(MembershipKey, Advance)] = []
        var changed: [(MembershipKey, Span)] = []
        var begun: [(MembershipKey, Span)] = []
        var fresh: [(MembershipKey, Advance)] = []
        for (key, change) in changes {
            if change.open.isChanged { changed.append((key, change.open)) }
            for advance in change.open.advances { continued.append((key, advance)) }
            for span in change.begun {
                begun.append((key, span))
                for advance in span.advances { fresh.append((key, advance)) }
            }
        }
        return [
            continueRanges(continued, in: schema), update(changed, in: schema), insert(begun, in: schema),
            insertRanges(fresh, in: schema),
        ].compactMap { $0 }
    }

    /// Of each advance, what goes beyond the mark in the table.
    private static func continueRanges(_ rows: [(key: MembershipKey, advance: Advance)], in schema: ReadSchema) -> SQL?
    {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).receipt_ranges (
                conversation_id, user_id, kind, from_seq, to_seq, at, partition)
            SELECT x.conversation_id, x.user_id, x.kind, greatest(x.from_seq, m.seq), x.to_seq, x.at, w.partition
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.advance.kind.rawValue)),
                \(rows.map(\.advance.from)), \(rows.map(\.advance.to)), \(rows.map(\.advance.at))
            ) AS x (conversation_id, user_id, kind, from_seq, to_seq, at)
            JOIN \(identifier: schema.name).watermarks w
                ON w.conversation_id = x.conversation_id AND w.user_id = x.user_id AND w.to_seq IS NULL
            CROSS JOIN LATERAL (
                SELECT CASE x.kind WHEN 1 THEN w.delivered_seq ELSE w.public_read_seq END AS seq
            ) m
            WHERE x.to_seq > m.seq
            """
    }

    private static func update(_ rows: [(key: MembershipKey, span: Span)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).watermarks w
            SET delivered_seq = greatest(w.delivered_seq, x.delivered_seq),
                read_seq = greatest(w.from_seq, x.lowest, least(x.highest, w.read_seq)),
                public_read_seq = greatest(w.public_read_seq, x.public_read_seq),
                to_seq = x.to_seq
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.span.delivered.seq)),
                \(rows.map(\.span.read.lowest)), \(rows.map(\.span.read.highest)),
                \(rows.map(\.span.publicRead.seq)), \(rows.map(\.span.toSeq))
            ) AS x (conversation_id, user_id, delivered_seq, lowest, highest, public_read_seq, to_seq)
            WHERE w.conversation_id = x.conversation_id AND w.user_id = x.user_id AND w.to_seq IS NULL
            """
    }

    private static func insert(_ rows: [(key: MembershipKey, span: Span)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).watermarks (
                conversation_id, user_id, from_position, from_seq, to_seq, delivered_seq, read_seq,
                public_read_seq, partition)
            SELECT
                unnest(\(rows.map(\.key.conversation))), unnest(\(rows.map(\.key.person))),
                unnest(\(rows.map(\.span.fromPosition))), unnest(\(rows.map(\.span.fromSeq))),
                unnest(\(rows.map(\.span.toSeq))), unnest(\(rows.map(\.span.delivered.seq))),
                unnest(\(rows.map(\.span.read.lowest))), unnest(\(rows.map(\.span.publicRead.seq))),
                unnest(\(rows.map(\.key.partition)))
            """
    }

    private static func insertRanges(_ rows: [(key: MembershipKey, advance: Advance)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).receipt_ranges (
                conversation_id, user_id, kind, from_seq, to_seq, at, partition)
            SELECT
                unnest(\(rows.map(\.key.conversation))), unnest(\(rows.map(\.key.person))),
                unnest(\(rows.map(\.advance.kind.rawValue))), unnest(\(rows.map(\.advance.from))),
                unnest(\(rows.map(\.advance.to))), unnest(\(rows.map(\.advance.at))),
                unnest(\(rows.map(\.key.partition)))
            """
    }
}
