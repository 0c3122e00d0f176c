package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// These system messages of a conversation, by id.
    ///
    /// - Parameter caller: who sees them, as far as the caller may; nil for all.
    package func systemMessages(
        _ ids: [UUID],
        in conversation: UUID,
        for caller: UUID? = nil
    ) async throws -> [UUID: Message] {
        guard !ids.isEmpty else { return [:] }
        return try await pool.withConnection { connection in
            var items = try await SystemMessageQuery.items(ids, in: conversation, on: connection)
            if let caller {
                guard let access = try await HistoryAccess.read(of: caller, in: conversation, on: connection) else {
                    return [:]
                }
                items = items.filter { access.contains($0.key) }
            }
            return Dictionary(items.map { ($0.message.id.uuid, $0.message) }) { first, _ in first }
        }
    }
}
