package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `watermarks`, one row per span of membership, and `receipt_ranges`, one row per advance of a mark.
///
/// Events of the receipts stream may be late or repeat: they are written without an expected version, and processes may
/// know different states. So an advance is what goes beyond the mark in the table, and people who left have none. What
/// somebody has read in private moves the person's own mark alone.
package struct ReceiptsProjection: Projection {
    package static let name = "receipts"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation, .receipts, .views]
    package static let tables: [ReadTable] = [.watermarks, .receiptRanges]

    private var changes: [MembershipKey: WatermarkChange] = [:]

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
            for member in started.members {
                change(record, member.id) { $0.join(at: record.position, headSeq: 0) }
            }
        case .participantAdded(let added):
            change(record, added.person) { $0.join(at: record.position, headSeq: added.headSeq) }
        case .participantRemoved(let removed):
            change(record, removed.person) { $0.leave(headSeq: removed.headSeq) }
        case .receiptsAdvanced(let advanced):
            for mark in advanced.marks {
                change(record, mark.person) { $0.advance(to: mark, at: record.recordedAt) }
            }
        case .messageSent, .roleChanged, .groupChanged, .memberErased, .messageEdited, .messageDeleted, .reactionAdded,
            .reactionRemoved, .messagePinned, .messageUnpinned:
            break
        case .markedUnread(let marked):
            change(record, marked.person) { $0.markUnread(after: marked.readSeq) }
        case .viewChanged, .messageHidden, .permissionsChanged, .inviteCreated, .inviteUsed, .invitesEnded,
            .blockChanged,
            .retentionChanged, .slowModeChanged:
            break
        }
    }

    private mutating func change(
        _ record: RecordedEvent,
        _ person: UUID,
        _ body: (inout WatermarkChange) -> Void
    ) {
        body(&changes[MembershipKey(person, in: record), default: WatermarkChange()])
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        WatermarkChange.statements(for: changes, in: schema)
    }
}
