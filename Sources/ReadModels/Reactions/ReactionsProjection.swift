package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `reactions`, one row per member and emoji; those of deleted messages and erased people are gone.
package struct ReactionsProjection: Projection {
    package static let name = "reactions"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation]
    package static let tables: [ReadTable] = [.reactions]

    private var changes: [Key: Change] = [:]
    private var deleted: Set<MessageKey> = []
    private var erased: Set<MembershipKey> = []

    private struct Key: Hashable {
        let message: MessageKey
        let person: UUID
        let emoji: Emoji
    }

    private enum Change {
        case added(position: Int64)
        case removed
    }

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        let record = event.record
        switch event.fact {
        case .conversation(.reactionAdded(let reaction)):
            changes[key(of: reaction, in: record)] = .added(position: record.position)
        case .conversation(.reactionRemoved(let reaction)):
            changes[key(of: reaction, in: record)] = .removed
        case .conversation(.messageDeleted(let gone)):
            let message = MessageKey(gone.seq, in: record)
            deleted.insert(message)
            changes = changes.filter { $0.key.message != message }
        case .conversation(.memberErased(let gone)):
            erased.insert(MembershipKey(gone.person, in: record))
            changes = changes.filter { $0.key.person != gone.person || $0.key.message.conversation != record.stream.id }
        case .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.receiptsAdvanced),
            .conversation(.viewChanged), .conversation(.markedUnread), .conversation(.messageHidden),
            .conversation(.permissionsChanged),
            .conversation(.inviteCreated), .conversation(.inviteUsed), .conversation(.invitesEnded),
            .conversation(.blockChanged), .conversation(.retentionChanged),
            .conversation(.slowModeChanged),
            .conversation(.messageSent), .conversation(.messageEdited), .conversation(.messagePinned),
            .conversation(.messageUnpinned),
            .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    private func key(of reaction: ReactionChanged, in record: RecordedEvent) -> Key {
        Key(message: MessageKey(reaction.seq, in: record), person: reaction.person, emoji: reaction.emoji)
    }

    // MARK: Statements

    package func statements(in schema: ReadSchema) -> [SQL] {
        [
            removeErased(in: schema), removeDeleted(in: schema), remove(in: schema), insert(in: schema),
        ].compactMap { $0 }
    }

    private func removeErased(in schema: ReadSchema) -> SQL? {
        guard !erased.isEmpty else { return nil }
        let keys = Array(erased)
        return """
            DELETE FROM \(identifier: schema.name).reactions r
            USING unnest(\(keys.map(\.person)), \(keys.map(\.conversation))) AS x (user_id, conversation_id)
            WHERE r.user_id = x.user_id AND r.conversation_id = x.conversation_id
            """
    }

    private func removeDeleted(in schema: ReadSchema) -> SQL? {
        guard !deleted.isEmpty else { return nil }
        let keys = Array(deleted)
        return """
            DELETE FROM \(identifier: schema.name).reactions r
            USING unnest(\(keys.map(\.conversation)), \(keys.map(\.seq))) AS x (conversation_id, seq)
            WHERE r.conversation_id = x.conversation_id AND r.seq = x.seq
            """
    }

    /// Also those that were taken back and given again: their place in the order is the new one.
    private func remove(in schema: ReadSchema) -> SQL? {
        guard !changes.isEmpty else { return nil }
        let keys = Array(changes.keys)
        return """
            DELETE FROM \(identifier: schema.name).reactions r
            USING unnest(
                \(keys.map(\.message.conversation)), \(keys.map(\.message.seq)), \(keys.map(\.emoji.text)),
                \(keys.map(\.person))
            ) AS x (conversation_id, seq, emoji, user_id)
            WHERE r.conversation_id = x.conversation_id AND r.seq = x.seq AND r.emoji = x.emoji
                AND r.user_id = x.user_id
            """
    }

    private func insert(in schema: ReadSchema) -> SQL? {
        let rows = changes.compactMap { key, change -> (key: Key, position: Int64)? in
            if case .added(let position) = change { (key, position) } else { nil }
        }
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).reactions (
                seq, position, partition, conversation_id, user_id, emoji)
            SELECT
                unnest(\(rows.map(\.key.message.seq))), unnest(\(rows.map(\.position))),
                unnest(\(rows.map(\.key.message.partition))), unnest(\(rows.map(\.key.message.conversation))),
                unnest(\(rows.map(\.key.person))), unnest(\(rows.map(\.key.emoji.text)))
            """
    }
}
