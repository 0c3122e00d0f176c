package import Foundation
import Postgres

/// A mark as an event of the log set it.
package struct SetMark: Sendable, Hashable {
    package let conversation: UUID
    package let person: UUID
    package let deliveredSeq: Int64
    package let readSeq: Int64
    /// The time of the event.
    package let at: Date

    package init(conversation: UUID, person: UUID, deliveredSeq: Int64, readSeq: Int64, at: Date) {
        self.conversation = conversation
        self.person = person
        self.deliveredSeq = deliveredSeq
        self.readSeq = readSeq
        self.at = at
    }
}

/// Who wrote what a mark newly covered; its own person is left out.
package struct CoveredAuthors: Sendable, Hashable {
    package var delivered: Set<UUID> = []
    package var read: Set<UUID> = []

    package init() {}

    package init(delivered: Set<UUID>, read: Set<UUID>) {
        self.delivered = delivered
        self.read = read
    }
}

extension Queries {
    /// For each of these marks, in order, who wrote the messages that it newly covered when it was set. The events of the
    /// marks must be projected.
    ///
    /// - Parameter author: nil asks for all authors, else only whether this one is among them.
    package func authors(coveredBy marks: [SetMark], only author: UUID? = nil) async throws -> [CoveredAuthors] {
        var authors = Array(repeating: CoveredAuthors(), count: marks.count)
        guard !marks.isEmpty else { return authors }
        let filter: SQL = author.map { "m.sender_id = \($0)" } ?? "true"
        let rows = try await pool.query(
            """
            SELECT DISTINCT k.n, v.kind, m.sender_id
            FROM unnest(
                \(marks.map(\.conversation)), \(marks.map(\.person)), \(marks.map(\.deliveredSeq)),
                \(marks.map(\.readSeq)), \(marks.map(\.at))
            ) WITH ORDINALITY AS k (conversation_id, user_id, delivered_seq, read_seq, at, n)
            CROSS JOIN LATERAL (
                VALUES (1::smallint, k.delivered_seq), (2::smallint, k.read_seq)
            ) AS v (kind, seq)
            CROSS JOIN LATERAL (
                SELECT x.from_seq, x.to_seq, x.at FROM read_live.receipt_ranges x
                WHERE x.conversation_id = k.conversation_id AND x.user_id = k.user_id AND x.kind = v.kind
                    AND x.from_seq < v.seq
                ORDER BY x.from_seq DESC LIMIT 1
            ) r
            JOIN read_live.messages m
                ON m.conversation_id = k.conversation_id AND m.seq > r.from_seq AND m.seq <= r.to_seq
            WHERE r.to_seq = v.seq AND r.at = k.at AND m.sender_id <> k.user_id AND \(filter)
            """
        )
        for row in rows {
            let place: Int = try row.decode("n")
            let author: UUID = try row.decode("sender_id")
            switch ReceiptKind(rawValue: try row.decode("kind")) {
            case .delivered: authors[place - 1].delivered.insert(author)
            case .read: authors[place - 1].read.insert(author)
            case nil: break
            }
        }
        return authors
    }
}
