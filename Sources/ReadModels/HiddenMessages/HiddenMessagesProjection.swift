package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `hidden_messages`: one row per person and message that the person has deleted for oneself.
package struct HiddenMessagesProjection: Projection {
    package static let name = "hidden-messages"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation, .views]
    package static let tables: [ReadTable] = [.hiddenMessages]

    private var hidden: [Key: (position: Int64, at: Date)] = [:]
    private var erased: Set<MembershipKey> = []

    private struct Key: Hashable {
        let member: MembershipKey
        let seq: Int64
    }

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        let record = event.record
        switch event.fact {
        case .conversation(.messageHidden(let message)):
            let key = Key(member: MembershipKey(message.person, in: record), seq: message.seq)
            if hidden[key] == nil { hidden[key] = (record.position, record.recordedAt) }
        case .conversation(.memberErased(let gone)):
            let member = MembershipKey(gone.person, in: record)
            erased.insert(member)
            hidden = hidden.filter { $0.key.member != member }
        case .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.receiptsAdvanced),
            .conversation(.viewChanged), .conversation(.markedUnread), .conversation(.permissionsChanged),
            .conversation(.inviteCreated), .conversation(.inviteUsed), .conversation(.invitesEnded),
            .conversation(.retentionChanged), .conversation(.slowModeChanged),
            .conversation(.blockChanged), .conversation(.messageSent), .conversation(.messageEdited),
            .conversation(.messageDeleted), .conversation(.reactionAdded), .conversation(.reactionRemoved),
            .conversation(.messagePinned), .conversation(.messageUnpinned),
            .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        [removeErased(in: schema), insert(in: schema)].compactMap { $0 }
    }

    private func removeErased(in schema: ReadSchema) -> SQL? {
        guard !erased.isEmpty else { return nil }
        let keys = Array(erased)
        return """
            DELETE FROM \(identifier: schema.name).hidden_messages h
            USING unnest(\(keys.map(\.person)), \(keys.map(\.conversation))) AS x (user_id, conversation_id)
            WHERE h.user_id = x.user_id AND h.conversation_id = x.conversation_id
            """
    }

    /// Of two devices that hide the same message, the first one has done it.
    private func insert(in schema: ReadSchema) -> SQL? {
        guard !hidden.isEmpty else { return nil }
        let rows = Array(hidden)
        return """
            INSERT INTO \(identifier: schema.name).hidden_messages (
                seq, position, hidden_at, partition, conversation_id, user_id)
            SELECT
                unnest(\(rows.map(\.key.seq))), unnest(\(rows.map(\.value.position))),
                unnest(\(rows.map(\.value.at))), unnest(\(rows.map(\.key.member.partition))),
                unnest(\(rows.map(\.key.member.conversation))), unnest(\(rows.map(\.key.member.person)))
            ON CONFLICT (user_id, conversation_id, seq, partition) DO NOTHING
            """
    }
}
