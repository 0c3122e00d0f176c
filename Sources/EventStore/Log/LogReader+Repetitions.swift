package import EventSourcing
package import Foundation
import Postgres

extension LogReader {
    /// The first event of a command, and those after it that may be of the same command under ids of their own.
    ///
    /// What a repetition is compared with is kept with a command's first event alone, and stays there as an empty value where
    /// it has left the log: so the next event that has one is of the next command.
    package func events(
        from command: UUID,
        in stream: StreamID,
        atMost limit: Int
    ) async throws -> [RecordedEvent] {
        let table = partitionTable(identity.partition(of: stream.id))
        let ofStream: SQL = "t.stream_id = \(stream.id) AND t.category = \(stream.category.rawValue)"
        let rows = try await pool.query(
            """
            SELECT \(StoredEvent.columns)
            FROM (
                SELECT t.version FROM \(table) t WHERE \(ofStream) AND t.command_id = \(command) AND t.ordinal = 0
            ) f CROSS JOIN LATERAL (
                SELECT t.* FROM \(table) t WHERE \(ofStream) AND t.version >= f.version
                ORDER BY t.version LIMIT \(Int64(limit))
            ) e
            ORDER BY e.version
            """
        )
        let stored = try rows.map(StoredEvent.init)
        guard let first = stored.first else { return [] }
        let others = stored.dropFirst().prefix { event in
            event.contentHMAC == nil && event.ordinal == 0 && event.actor == first.actor
                && event.recordedAt == first.recordedAt
        }
        return Array(try await unseal(rows).prefix(others.count + 1))
    }
}
