import Foundation
import Postgres

/// What a batch makes of the pin of a message: set by somebody, or taken away.
struct PinChange {
    var at: Date?
    var by: UUID?
    var position: Int64?

    static func statement(for rows: [(key: MessageKey, pin: PinChange?)], in schema: ReadSchema) -> SQL? {
        let rows = rows.compactMap { row in row.pin.map { (key: row.key, pin: $0) } }
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).messages m
            SET pinned_at = x.at, pinned_by = x.by, pinned_position = x.position
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.seq)), \(rows.map(\.pin.at)), \(rows.map(\.pin.by)),
                \(rows.map(\.pin.position))
            ) AS x (conversation_id, seq, at, by, position)
            WHERE m.conversation_id = x.conversation_id AND m.seq = x.seq
            """
    }
}
