import Foundation
import Postgres

/// What one person may search, by conversation.
struct SearchAccess {
    let histories: [UUID: HistoryAccess]

    init(_ histories: [HistoryAccess]) {
        let readable = histories.filter { $0.floor < $0.ceiling }.map { ($0.conversation, $0) }
        self.histories = Dictionary(readable) { first, _ in first }
    }

    /// - Parameter conversation: nil for all that the person is or was a member of.
    /// - Returns: nil where the person never was a member of that conversation.
    static func read(
        of person: UUID,
        in conversation: UUID?,
        on connection: PostgresConnection
    ) async throws -> SearchAccess? {
        let histories = try await HistoryAccess.read(of: person, in: conversation.map { [$0] }, on: connection)
        guard !histories.isEmpty || conversation == nil else { return nil }
        return SearchAccess(histories)
    }

    /// What may be read of a chunk.
    func range(of chunk: SearchChunk) -> MessageRange? {
        guard let history = histories[chunk.conversation] else { return nil }
        let (first, last) = (max(chunk.first, history.floor + 1), min(chunk.last, history.ceiling))
        return first <= last ? history.range(first...last) : nil
    }

    /// One message.
    func range(of seq: Int64, in conversation: UUID) -> MessageRange? {
        guard let history = histories[conversation], history.contains(seq) else { return nil }
        return history.range(of: seq)
    }

    /// As a table `a` of a statement.
    var table: SQL {
        let histories = Array(histories.values)
        return """
            unnest(\(histories.map(\.conversation)), \(histories.map(\.floor)), \(histories.map(\.ceiling)))
                AS a (conversation_id, floor, ceiling)
            """
    }
}
