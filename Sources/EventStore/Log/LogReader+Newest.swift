package import EventSourcing
package import Foundation
import Postgres

extension LogReader {
    /// The newest event of some types in a stream, if it has one.
    package func newest(of types: [String], in stream: StreamID) async throws -> RecordedEvent? {
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM \(partitionTable(identity.partition(of: stream.id))) e
            WHERE e.stream_id = \(stream.id) AND e.category = \(stream.category.rawValue) AND e.type = ANY (\(types))
            ORDER BY e.version DESC
            LIMIT 1
            """
        )
        return try await unseal(rows).first
    }

    /// The newest event of some types about one subject, in each of these streams that has one.
    package func newest(
        of types: [String],
        about subject: UUID,
        in streams: [UUID],
        category: StreamCategory
    ) async throws -> [RecordedEvent] {
        guard !streams.isEmpty else { return [] }
        let partitions = streams.map { Int32(clamping: identity.partition(of: $0)) }
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM unnest(\(streams), \(partitions)) AS k (stream_id, partition)
            CROSS JOIN LATERAL (
                SELECT t.* FROM parley.events t
                WHERE t.partition = k.partition AND t.stream_id = k.stream_id AND t.category = \(category.rawValue)
                    AND t.subject = \(subject) AND t.type = ANY (\(types))
                ORDER BY t.version DESC LIMIT 1
            ) e
            """
        )
        return try await unseal(rows)
    }

    /// The newest event of some types about each of these subjects of a stream that has one.
    package func newest(
        of types: [String],
        about subjects: [UUID],
        in stream: StreamID
    ) async throws -> [RecordedEvent] {
        guard !subjects.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM unnest(\(subjects)) AS k (subject)
            CROSS JOIN LATERAL (
                SELECT t.* FROM \(partitionTable(identity.partition(of: stream.id))) t
                WHERE t.stream_id = \(stream.id) AND t.category = \(stream.category.rawValue)
                    AND t.subject = k.subject AND t.type = ANY (\(types))
                ORDER BY t.version DESC LIMIT 1
            ) e
            """
        )
        return try await unseal(rows)
    }
}
