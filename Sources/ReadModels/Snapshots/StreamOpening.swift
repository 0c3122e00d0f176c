package import Foundation
import Postgres

/// Where a stream begins: what its owner was and is part of, at one moment.
package struct StreamOpening: Sendable, Equatable {
    /// The moment, by partition.
    package let positions: [Int64]
    /// All memberships, those that have ended too.
    package let spans: [Span]

    /// One membership of the stream's owner.
    package struct Span: Sendable, Equatable {
        package let conversation: UUID
        package let partition: Int
        package let fromPosition: Int64
        /// nil while it lasts.
        package let toPosition: Int64?
        /// The newest message at joining.
        package let fromSeq: Int64
        /// The newest event of the conversation or its receipts.
        package let lastPosition: Int64
    }

    /// The memberships that may have events past a cursor.
    package func changed(since positions: [Int64]) -> [Span] {
        spans.filter { span in
            guard positions.indices.contains(span.partition) else { return false }
            let cursor = positions[span.partition]
            return span.lastPosition > cursor && (span.toPosition ?? .max) > cursor
        }
    }
}

extension StreamOpening {
    static func statement(for caller: UUID) -> SQL {
        """
        SELECT m.conversation_id, c.partition, m.from_position, m.to_position, m.from_seq, c.last_position
        FROM read_live.memberships m
        JOIN read_live.conversations c ON c.conversation_id = m.conversation_id
        WHERE m.user_id = \(caller)
        """
    }
}

extension Queries {
    /// The state in which a stream opens.
    package func opening(for caller: UUID) async throws -> StreamOpening {
        try await ReadSnapshot.with(partitions: partitions, on: pool) { connection, positions in
            let rows = try await connection.query(StreamOpening.statement(for: caller))
            let spans = try rows.map { row in
                StreamOpening.Span(
                    conversation: try row.decode("conversation_id"),
                    partition: try row.decode("partition"),
                    fromPosition: try row.decode("from_position"),
                    toPosition: try row.decode("to_position"),
                    fromSeq: try row.decode("from_seq"),
                    lastPosition: try row.decode("last_position")
                )
            }
            return StreamOpening(positions: positions, spans: spans)
        }
    }
}
