package import EventSourcing
package import Foundation
import Postgres

extension LogReader {
    /// Which of these subjects have an event of some types, and the version of their stream at which that was so.
    package func subjects(
        _ subjects: [UUID],
        with types: [String],
        in stream: StreamID
    ) async throws -> (found: Set<UUID>, version: Int64) {
        let table = partitionTable(identity.partition(of: stream.id))
        let ofStream: SQL = "t.stream_id = \(stream.id) AND t.category = \(stream.category.rawValue)"
        let rows = try await pool.query(
            """
            SELECT coalesce((
                    SELECT t.version FROM \(table) t WHERE \(ofStream) ORDER BY t.version DESC LIMIT 1), 0) AS version,
                ARRAY (
                    SELECT DISTINCT t.subject FROM \(table) t
                    WHERE \(ofStream) AND t.subject = ANY (\(subjects)) AND t.type = ANY (\(types))) AS found
            """
        )
        guard let row = rows.first else { return ([], 0) }
        return (Set(try row.decode("found", as: [UUID].self)), try row.decode("version"))
    }
}
