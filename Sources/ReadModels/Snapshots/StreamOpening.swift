package import Foundation
import Postgres

/// Where a stream begins: what its owner was and is part of, at one moment.
package struct StreamOpening: Sendable, Equatable {
    /// The moment, by partition.
    package let positions: [Int64]
    /// All memberships, those that have ended too.
    package let spans: [Span]
    /// The conversations in which the owner has blocked the other person, or taken that back: also where the two have never
    /// talked.
    package let blocks: [Block]

    /// Where the log has the newest event of a block.
    package struct Block: Sendable, Equatable {
        package let conversation: UUID
        package let partition: Int
        package let position: Int64
    }

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
        /// Whether the owner has cleared the conversation, and nobody has said anything since.
        package let isCleared: Bool
    }

    /// The blocks that have events past a cursor.
    package func changedBlocks(since positions: [Int64]) -> [Block] {
        blocks.filter { positions.indices.contains($0.partition) && $0.position > positions[$0.partition] }
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
        SELECT m.conversation_id, c.partition, m.from_position, m.to_position, m.from_seq, c.last_position,
            coalesce(c.head_seq <= m.cleared_seq, false) AS is_cleared
        FROM read_live.memberships m
        JOIN read_live.conversations c ON c.conversation_id = m.conversation_id
        WHERE m.user_id = \(caller)
        """
    }

    static func blocks(of caller: UUID) -> SQL {
        "SELECT b.conversation_id, b.partition, b.position FROM read_live.blocks b WHERE b.user_id = \(caller)"
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
                    lastPosition: try row.decode("last_position"),
                    isCleared: try row.decode("is_cleared")
                )
            }
            let blocks = try await connection.query(StreamOpening.blocks(of: caller)).map { row in
                StreamOpening.Block(
                    conversation: try row.decode("conversation_id"),
                    partition: try row.decode("partition"),
                    position: try row.decode("position")
                )
            }
            return StreamOpening(positions: positions, spans: spans, blocks: blocks)
        }
    }
}
