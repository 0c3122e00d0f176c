package import Foundation
package import ParleyWire
import Postgres

extension Queries {
    /// What a stranger with an invite sees of a group.
    package func preview(of conversation: UUID) async throws -> InvitePreview? {
        let rows = try await pool.query(
            """
            SELECT c.group_name, c.member_count
            FROM (\(NewestVersion.ofConversation("\(conversation)"))) c
            WHERE c.kind = 'group'
            """
        )
        return try rows.first.map { row in
            InvitePreview(groupName: try row.decode("group_name"), participantCount: try row.decode("member_count"))
        }
    }
}
