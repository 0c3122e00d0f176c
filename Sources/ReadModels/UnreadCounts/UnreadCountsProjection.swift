package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `unread_counts`, one row per current member, `mentions` of people and `mentions_of_all`, and `deleted_messages`,
/// which nobody need read.
///
/// Reads `messages`, to count the own messages among those that a reader passes, and `memberships` for where a mark may go
/// back to.
package struct UnreadCountsProjection: Projection {
    package static let name = "unread-counts"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation, .receipts, .views]
    package static let tables: [ReadTable] = [.unreadCounts, .mentions, .mentionsOfAll, .deletedMessages]
    package static let reads: Set<String> = [MessagesProjection.name, ConversationListProjection.name]

    private var changes: [MembershipKey: UnreadChange] = [:]
    private var mentions: [(key: MembershipKey, seq: Int64)] = []
    private var mentionsOfAll: [(key: MessageKey, sender: UUID)] = []
    private var deleted: [(key: MessageKey, sender: UUID)] = []

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        switch event.fact {
        case .conversation(let fact): fold(fact, of: event.record)
        case .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    private mutating func fold(_ fact: ConversationEvent, of record: RecordedEvent) {
        switch fact {
        case .started(let started):
            for member in started.members { change(record, member.id) { $0.start() } }
        case .participantAdded(let added):
            change(record, added.person) { $0.join(headSeq: added.headSeq) }
        case .participantRemoved(let removed):
            change(record, removed.person) { $0.leave() }
        case .messageSent(let sent):
            change(record, sent.sender) { $0.send(seq: sent.seq) }
            if sent.mentionsAll {
                mentionsOfAll.append((MessageKey(sent.seq, in: record), sent.sender))
            } else {
                for person in Set(sent.mentions) where person != sent.sender {
                    mentions.append((MembershipKey(person, in: record), sent.seq))
                }
            }
        case .receiptsAdvanced(let advanced):
            for mark in advanced.marks { change(record, mark.person) { $0.read(seq: mark.readSeq) } }
        case .messageDeleted(let gone):
            deleted.append((MessageKey(gone.seq, in: record), gone.sender))
        case .markedUnread(let marked):
            change(record, marked.person) { $0.markUnread(after: marked.readSeq) }
        case .roleChanged, .groupChanged, .memberErased, .messageEdited, .reactionAdded, .reactionRemoved,
            .messagePinned, .messageUnpinned, .viewChanged, .messageHidden, .permissionsChanged, .inviteCreated,
            .inviteUsed,
            .invitesEnded, .blockChanged, .retentionChanged, .slowModeChanged:
            break
        }
    }

    private mutating func change(
        _ record: RecordedEvent,
        _ person: UUID,
        _ body: (inout UnreadChange) -> Void
    ) {
        body(&changes[MembershipKey(person, in: record), default: UnreadChange()])
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        var statements = UnreadChange.statements(for: changes, in: schema)
        if !mentions.isEmpty {
            statements.append(
                """
                INSERT INTO \(identifier: schema.name).mentions (conversation_id, user_id, seq, partition)
                SELECT
                    unnest(\(mentions.map(\.key.conversation))), unnest(\(mentions.map(\.key.person))),
                    unnest(\(mentions.map(\.seq))), unnest(\(mentions.map(\.key.partition)))
                """
            )
        }
        let sparse = [
            insert(mentionsOfAll, .mentionsOfAll, in: schema), insert(deleted, .deletedMessages, in: schema),
        ]
        return statements + sparse.compactMap { $0 }
    }

    private func insert(
        _ messages: [(key: MessageKey, sender: UUID)],
        _ table: ReadTable,
        in schema: ReadSchema
    ) -> SQL? {
        guard !messages.isEmpty else { return nil }
        return """
            INSERT INTO \(table.name(in: schema)) (conversation_id, seq, sender_id, partition)
            SELECT
                unnest(\(messages.map(\.key.conversation))), unnest(\(messages.map(\.key.seq))),
                unnest(\(messages.map(\.sender))), unnest(\(messages.map(\.key.partition)))
            """
    }
}
