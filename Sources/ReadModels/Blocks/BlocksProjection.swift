package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `blocks`: one row per person and blocked person, kept when the block is taken back.
package struct BlocksProjection: Projection {
    package static let name = "blocks"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation]
    package static let tables: [ReadTable] = [.blocks]

    private var changes: [MembershipKey: Change] = [:]
    private var erased: Set<MembershipKey> = []

    private struct Change {
        let blocked: UUID
        let blockedAt: Date?
        let position: Int64
    }

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        let record = event.record
        switch event.fact {
        case .conversation(.blockChanged(let changed)):
            changes[MembershipKey(changed.person, in: record)] = Change(
                blocked: changed.blocked,
                blockedAt: changed.isBlocked ? record.recordedAt : nil,
                position: record.position
            )
        case .conversation(.memberErased(let gone)):
            let key = MembershipKey(gone.person, in: record)
            erased.insert(key)
            changes[key] = nil
        case .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.receiptsAdvanced),
            .conversation(.viewChanged), .conversation(.markedUnread), .conversation(.messageHidden),
            .conversation(.permissionsChanged),
            .conversation(.inviteCreated), .conversation(.inviteUsed), .conversation(.retentionChanged),
            .conversation(.slowModeChanged),
            .conversation(.invitesEnded),
            .conversation(.messageSent), .conversation(.messageEdited), .conversation(.messageDeleted),
            .conversation(.reactionAdded), .conversation(.reactionRemoved), .conversation(.messagePinned),
            .conversation(.messageUnpinned),
            .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    // MARK: Statements

    package func statements(in schema: ReadSchema) -> [SQL] {
        [removeErased(in: schema), put(in: schema)].compactMap { $0 }
    }

    private func removeErased(in schema: ReadSchema) -> SQL? {
        guard !erased.isEmpty else { return nil }
        let keys = Array(erased)
        return """
            DELETE FROM \(identifier: schema.name).blocks b
            USING unnest(\(keys.map(\.person)), \(keys.map(\.conversation))) AS x (user_id, conversation_id)
            WHERE b.user_id = x.user_id AND b.conversation_id = x.conversation_id
            """
    }

    private func put(in schema: ReadSchema) -> SQL? {
        guard !changes.isEmpty else { return nil }
        let rows = Array(changes)
        return """
            INSERT INTO \(identifier: schema.name).blocks AS b (
                position, blocked_at, partition, conversation_id, user_id, blocked_id)
            SELECT
                unnest(\(rows.map(\.value.position))), unnest(\(rows.map(\.value.blockedAt))),
                unnest(\(rows.map(\.key.partition))), unnest(\(rows.map(\.key.conversation))),
                unnest(\(rows.map(\.key.person))), unnest(\(rows.map(\.value.blocked)))
            ON CONFLICT (user_id, conversation_id, partition) DO UPDATE
            SET position = excluded.position, blocked_at = excluded.blocked_at
            """
    }
}
