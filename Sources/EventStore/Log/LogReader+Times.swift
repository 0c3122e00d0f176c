package import Foundation
import Postgres

extension LogReader {
    /// When these events were recorded, in order; nil where the log has none.
    package func times(of places: [(partition: Int, position: Int64)]) async throws -> [Date?] {
        guard !places.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT e.recorded_at
            FROM unnest(
                \(places.map { Int32(clamping: $0.partition) }), \(places.map(\.position))
            ) WITH ORDINALITY AS k (partition, position, n)
            LEFT JOIN parley.events e ON e.partition = k.partition AND e.position = k.position
            ORDER BY k.n
            """
        )
        return try rows.map { try $0.decode("recorded_at") }
    }
}
