import EventSourcing
import Foundation
import Messaging
import Postgres

/// What a batch changes of one row of `conversations`.
struct ConversationChange {
    private var start: Start?
    private var name = Change<String>.unchanged
    private var nameBy: UUID?
    private var icon = Change<String>.unchanged
    private var iconBy: UUID?
    /// Who was erased, and takes along the name and the icon that the row has from before the batch.
    private var erased: [UUID] = []
    private var joinPolicy: JoinPolicy?
    private var historyVisibility: HistoryVisibility?
    private var permissions = PermissionsChanged.nothing
    private var retention = Change<Int>.unchanged
    private var slowMode = Change<Int>.unchanged
    private var members: Int32 = 0
    private var headSeq: Int64 = 0
    private var lastPosition: Int64 = 0
    /// Where the log has the newest change of what all members see of the conversation itself.
    private var revision: Int64 = 0
    private var updatedAt: Date?
    private var activityAt: Date?

    private struct Start {
        let kind: ConversationKind
        let partition: Int
        let startedBy: UUID?
        let startedAt: Date
    }

    mutating func fold(_ fact: ConversationEvent, of record: RecordedEvent) {
        lastPosition = record.position
        switch fact {
        case .started(let started):
            revision = record.position
            start = Start(
                kind: started.kind,
                partition: record.partition,
                startedBy: record.actor,
                startedAt: record.recordedAt
            )
            name = started.name.map { .set($0) } ?? .unchanged
            nameBy = record.actor
            icon = started.icon.map { .set($0) } ?? .unchanged
            iconBy = record.actor
            joinPolicy = started.kind == .group ? started.joinPolicy : nil
            historyVisibility = started.kind == .group ? started.historyVisibility : nil
            members &+= Int32(clamping: started.members.count)
            activityAt = record.recordedAt
        case .participantAdded:
            members &+= 1
            // The events that tell clients of members carry no `updatedAt`, so it stays: who follows them and who asks
            // afresh must see the same.
            return
        case .participantRemoved:
            members &-= 1
            return
        case .roleChanged:
            return
        case .groupChanged(let changed):
            revision = record.position
            if changed.name != .unchanged { (name, nameBy) = (changed.name, record.actor) }
            if changed.icon != .unchanged { (icon, iconBy) = (changed.icon, record.actor) }
            joinPolicy = changed.joinPolicy ?? joinPolicy
            historyVisibility = changed.historyVisibility ?? historyVisibility
        case .messageSent(let sent):
            headSeq = sent.seq
            activityAt = Self.later(activityAt, record.recordedAt)
        case .memberErased(let gone):
            revision = record.position
            if nameBy == gone.person { name = .cleared }
            if iconBy == gone.person { icon = .cleared }
            erased.append(gone.person)
            // The clock of a list shows what people do.
            return
        case .receiptsAdvanced, .messageEdited, .messageDeleted, .reactionAdded, .reactionRemoved, .messagePinned,
            .messageUnpinned:
            // Reading is no change that the list shows, and what becomes of a message is told without `updatedAt`, too.
            return
        case .permissionsChanged(let changed):
            revision = record.position
            permissions = PermissionsChanged(
                send: changed.send ?? permissions.send,
                addMembers: changed.addMembers ?? permissions.addMembers,
                changeInfo: changed.changeInfo ?? permissions.changeInfo,
                pin: changed.pin ?? permissions.pin
            )
        case .retentionChanged(let changed):
            revision = record.position
            retention = changed.seconds.map { .set($0) } ?? .cleared
        case .slowModeChanged(let changed):
            revision = record.position
            slowMode = changed.seconds.map { .set($0) } ?? .cleared
        case .inviteCreated, .inviteUsed, .invitesEnded:
            // Who has come in is told by another event.
            return
        case .viewChanged, .markedUnread, .messageHidden, .blockChanged:
            // To one member alone.
            return
        }
        updatedAt = Self.later(updatedAt, record.recordedAt)
    }

    /// Server clocks may be set back; the order of a list should not follow.
    private static func later(_ one: Date?, _ other: Date) -> Date {
        one.map { max($0, other) } ?? other
    }

    /// Whether more has changed than every message changes.
    private var isRare: Bool {
        members != 0 || revision != 0
    }

    // MARK: Statements

    static func statements(for changes: [UUID: ConversationChange], in schema: ReadSchema) -> [SQL] {
        var started: [(UUID, ConversationChange, Start)] = []
        var changed: [(UUID, ConversationChange)] = []
        var moved: [(UUID, ConversationChange)] = []
        for (id, change) in changes {
            if let start = change.start {
                started.append((id, change, start))
            } else if change.isRare {
                changed.append((id, change))
            } else {
                moved.append((id, change))
            }
        }
        // What is older than an erasure goes first: what others have named since stays.
        return [
            erase(changes, in: schema), insert(started, in: schema), update(changed, in: schema),
            move(moved, in: schema),
        ].compactMap { $0 }
    }

    private var searchName: String? {
        name.newValue.map { DirectoryName($0).sortKey }
    }

    private var retentionSeconds: Int32? { retention.newValue.map { Int32(clamping: $0) } }

    private var slowModeSeconds: Int32? { slowMode.newValue.map { Int32(clamping: $0) } }

    private static func erase(_ changes: [UUID: ConversationChange], in schema: ReadSchema) -> SQL? {
        let rows = changes.flatMap { id, change in change.erased.map { (id: id, person: $0) } }
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).conversations c
            SET group_name = CASE WHEN c.group_name_by = ANY (x.people) THEN NULL ELSE c.group_name END,
                search_name = CASE WHEN c.group_name_by = ANY (x.people) THEN NULL ELSE c.search_name END,
                group_icon = CASE WHEN c.group_icon_by = ANY (x.people) THEN NULL ELSE c.group_icon END
            FROM (
                SELECT k.conversation_id, array_agg(k.person) AS people
                FROM unnest(\(rows.map(\.id)), \(rows.map(\.person))) AS k (conversation_id, person)
                GROUP BY k.conversation_id
            ) x
            WHERE c.conversation_id = x.conversation_id
                AND (c.group_name_by = ANY (x.people) OR c.group_icon_by = ANY (x.people))
            """
    }

    private static func insert(_ rows: [(id: UUID, change: Self, start: Start)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).conversations (
                conversation_id, partition, kind, created_by, created_at, group_name, group_icon, join_policy,
                history_visibility, member_count, head_seq, last_position, updated_at, activity_at, search_name,
                group_name_by, group_icon_by, send_by, add_members_by, change_info_by, pin_by, retention, slow_mode,
                revision)
            SELECT
                unnest(\(rows.map(\.id))), unnest(\(rows.map { Int32(clamping: $0.start.partition) })),
                unnest(\(rows.map(\.start.kind.rawValue))), unnest(\(rows.map(\.start.startedBy))),
                unnest(\(rows.map(\.start.startedAt))), unnest(\(rows.map(\.change.name.newValue))),
                unnest(\(rows.map(\.change.icon.newValue))), unnest(\(rows.map(\.change.joinPolicy?.rawValue))),
                unnest(\(rows.map(\.change.historyVisibility?.rawValue))), unnest(\(rows.map(\.change.members))),
                unnest(\(rows.map(\.change.headSeq))), unnest(\(rows.map(\.change.lastPosition))),
                unnest(\(rows.map(\.change.updatedAt))), unnest(\(rows.map(\.change.activityAt))),
                unnest(\(rows.map(\.change.searchName))), unnest(\(rows.map(\.change.nameBy))),
                unnest(\(rows.map(\.change.iconBy))), unnest(\(rows.map(\.change.permissions.send?.rawValue))),
                unnest(\(rows.map(\.change.permissions.addMembers?.rawValue))),
                unnest(\(rows.map(\.change.permissions.changeInfo?.rawValue))),
                unnest(\(rows.map(\.change.permissions.pin?.rawValue))),
                unnest(\(rows.map(\.change.retentionSeconds))), unnest(\(rows.map(\.change.slowModeSeconds))),
                unnest(\(rows.map(\.change.revision)))
            """
    }

    private static func update(_ rows: [(id: UUID, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).conversations c
            SET group_name = CASE WHEN x.name_changed THEN x.group_name ELSE c.group_name END,
                search_name = CASE WHEN x.name_changed THEN x.search_name ELSE c.search_name END,
                group_name_by = CASE WHEN x.name_changed THEN x.group_name_by ELSE c.group_name_by END,
                group_icon = CASE WHEN x.icon_changed THEN x.group_icon ELSE c.group_icon END,
                group_icon_by = CASE WHEN x.icon_changed THEN x.group_icon_by ELSE c.group_icon_by END,
                join_policy = coalesce(x.join_policy, c.join_policy),
                history_visibility = coalesce(x.history_visibility, c.history_visibility),
                send_by = coalesce(x.send_by, c.send_by),
                add_members_by = coalesce(x.add_members_by, c.add_members_by),
                change_info_by = coalesce(x.change_info_by, c.change_info_by),
                pin_by = coalesce(x.pin_by, c.pin_by),
                retention = CASE WHEN x.retention_changed THEN x.retention ELSE c.retention END,
                slow_mode = CASE WHEN x.slow_mode_changed THEN x.slow_mode ELSE c.slow_mode END,
                member_count = c.member_count + x.members,
                head_seq = greatest(c.head_seq, x.head_seq),
                last_position = x.last_position,
                revision = greatest(c.revision, x.revision),
                updated_at = greatest(c.updated_at, x.updated_at),
                activity_at = greatest(c.activity_at, x.activity_at)
            FROM unnest(
                \(rows.map(\.id)), \(rows.map { $0.change.name != .unchanged }),
                \(rows.map(\.change.name.newValue)), \(rows.map(\.change.nameBy)),
                \(rows.map { $0.change.icon != .unchanged }), \(rows.map(\.change.iconBy)),
                \(rows.map(\.change.icon.newValue)), \(rows.map(\.change.joinPolicy?.rawValue)),
                \(rows.map(\.change.historyVisibility?.rawValue)), \(rows.map(\.change.members)),
                \(rows.map(\.change.headSeq)), \(rows.map(\.change.lastPosition)), \(rows.map(\.change.updatedAt)),
                \(rows.map(\.change.activityAt)), \(rows.map(\.change.searchName)),
                \(rows.map(\.change.permissions.send?.rawValue)),
                \(rows.map(\.change.permissions.addMembers?.rawValue)),
                \(rows.map(\.change.permissions.changeInfo?.rawValue)),
                \(rows.map(\.change.permissions.pin?.rawValue)), \(rows.map { $0.change.retention != .unchanged }),
                \(rows.map(\.change.retentionSeconds)), \(rows.map { $0.change.slowMode != .unchanged }),
                \(rows.map(\.change.slowModeSeconds)), \(rows.map(\.change.revision))
            ) AS x (
                conversation_id, name_changed, group_name, group_name_by, icon_changed, group_icon_by, group_icon,
                join_policy, history_visibility, members,
                head_seq, last_position, updated_at, activity_at, search_name,
                send_by, add_members_by, change_info_by, pin_by, retention_changed, retention,
                slow_mode_changed, slow_mode, revision)
            CROSS JOIN LATERAL (\(NewestVersion.ofConversation("x.conversation_id", "ctid", in: schema))) n
            WHERE c.ctid = n.ctid
            """
    }

    private static func move(_ rows: [(id: UUID, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).conversations c
            SET head_seq = greatest(c.head_seq, x.head_seq),
                last_position = x.last_position,
                updated_at = greatest(c.updated_at, x.updated_at),
                activity_at = greatest(c.activity_at, x.activity_at)
            FROM unnest(
                \(rows.map(\.id)), \(rows.map(\.change.headSeq)), \(rows.map(\.change.lastPosition)),
                \(rows.map(\.change.updatedAt)), \(rows.map(\.change.activityAt))
            ) AS x (conversation_id, head_seq, last_position, updated_at, activity_at)
            CROSS JOIN LATERAL (\(NewestVersion.ofConversation("x.conversation_id", "ctid", in: schema))) n
            WHERE c.ctid = n.ctid
            """
    }
}
