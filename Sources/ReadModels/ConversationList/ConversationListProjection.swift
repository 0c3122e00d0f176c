package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `conversations`, one row each, and `memberships`, one row per span.
package struct ConversationListProjection: Projection {
    package static let name = "conversation-list"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation, .receipts, .views]
    package static let tables: [ReadTable] = [.conversations, .memberships]

    private var conversations: [UUID: ConversationChange] = [:]
    private var memberships: [MembershipKey: MembershipChange] = [:]

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
        let id = record.stream.id
        conversations[id, default: ConversationChange()].fold(fact, of: record)
        switch fact {
        case .started(let started):
            for member in started.members {
                join(member.id, as: member.role, headSeq: 0, record)
            }
        case .participantAdded(let added):
            join(added.person, as: added.role, headSeq: added.headSeq, record)
        case .participantRemoved(let removed):
            memberships[MembershipKey(removed.person, in: record), default: MembershipChange()]
                .leave(headSeq: removed.headSeq, record)
        case .roleChanged(let changed):
            memberships[MembershipKey(changed.person, in: record), default: MembershipChange()]
                .changeRole(changed.role, record)
        case .groupChanged, .messageSent, .receiptsAdvanced, .permissionsChanged, .retentionChanged, .slowModeChanged,
            .blockChanged,
            .inviteCreated, .inviteUsed, .invitesEnded, .messageEdited, .messageDeleted,
            .reactionAdded, .reactionRemoved, .messagePinned, .messageUnpinned:
            break
        case .memberErased(let erased):
            memberships[MembershipKey(erased.person, in: record), default: MembershipChange()].erase()
        case .viewChanged(let changed):
            changeView(of: changed.person, record) { $0.apply(changed) }
        case .markedUnread(let marked):
            changeView(of: marked.person, record) { $0.apply(marked) }
        case .messageHidden(let hidden):
            changeView(of: hidden.person, record) { $0.hide(hidden.seq, at: record.recordedAt) }
        }
    }

    private mutating func join(_ person: UUID, as role: Role, headSeq: Int64, _ record: RecordedEvent) {
        memberships[MembershipKey(person, in: record), default: MembershipChange()]
            .join(as: role, headSeq: headSeq, record)
    }

    private mutating func changeView(
        of person: UUID,
        _ record: RecordedEvent,
        _ change: (inout ViewColumns) -> Void
    ) {
        memberships[MembershipKey(person, in: record), default: MembershipChange()].changeView(change)
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        ConversationChange.statements(for: conversations, in: schema)
            + MembershipChange.statements(for: memberships, in: schema)
    }
}
