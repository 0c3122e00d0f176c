import EventStore
import Foundation
import ParleyWire
import Postgres

/// A conversation as one person sees it, without the people in it.
struct ConversationRow {
    let caller: UUID
    let id: UUID
    let activityAt: Date
    /// When the caller's newest membership ended; nil while it lasts.
    let toPosition: Int64?
    /// What the caller may read: after `floor`, up to `ceiling`.
    let floor: Int64
    let ceiling: Int64
    /// What the caller has begun to write.
    let draft: SealedDraft?
    /// Where the log has the first event that the caller may read of; 0 where that is the very first.
    let firstPosition: Int64
    var conversation: Conversation

    init(_ row: Row) throws {
        caller = try row.decode("caller")
        id = try row.decode("conversation_id")
        activityAt = try row.decode("activity_at")
        toPosition = try row.decode("to_position")
        floor = try row.decode("history_floor")
        ceiling = try row.decode("history_ceiling")
        firstPosition = try row.decode("first_position")
        let isGroup = try row.decode("kind", as: String.self) == ConversationType.group.rawValue
        let unread: Int = try row.decode("unread")
        draft = try row.decode("draft_key", as: UUID?.self).map { key in
            SealedDraft(key: key, bytes: try row.decode("draft_sealed", as: Bytes.self).bytes)
        }
        let pinnedAt: Date? = try row.decode("pinned_at")
        let updatedAt: Date = try row.decode("updated_at")
        conversation = Conversation(
            id: WireID(id),
            type: isGroup ? .group : .direct,
            groupName: try row.decode("group_name"),
            groupIcon: try row.decode("group_icon"),
            joinPolicy: try row.decode("join_policy", as: String?.self).map(GroupJoinPolicy.init),
            historyVisibility: try row.decode("history_visibility", as: String?.self).map(GroupHistoryVisibility.init),
            permissions: isGroup ? try Self.permissions(row) : nil,
            retentionSeconds: try row.decode("retention"),
            slowModeSeconds: isGroup ? try row.decode("slow_mode", as: Int?.self) ?? 0 : nil,
            participantIds: nil,
            participantCount: try row.decode("member_count"),
            participants: nil,
            lastMessage: try Self.lastMessage(row),
            headSeq: ceiling,
            unreadCount: unread,
            mentionCount: try row.decode("mention_count"),
            firstUnreadSeq: try row.decode("first_unread"),
            me: MemberSettings(
                role: ParticipantRole(rawValue: try row.decode("role")),
                deliveredSeq: try row.decode("delivered_seq"),
                readSeq: try row.decode("read_seq"),
                mutedUntil: try row.decode("muted_until"),
                notificationLevel: try row.decode("notification_level", as: String?.self)
                    .map(NotificationLevel.init) ?? .all,
                archived: try row.decode("archived"),
                pinned: pinnedAt != nil,
                pinnedAt: pinnedAt,
                draftUpdatedAt: try row.decode("draft_at"),
                cleared: try row.decode("cleared"),
                markedUnread: try row.decode("marked_unread"),
                leftAt: toPosition == nil ? nil : updatedAt
            ),
            createdBy: WireID(try row.decode("created_by")),
            createdAt: try row.decode("created_at"),
            updatedAt: updatedAt,
            revision: try row.decode("revision")
        )
    }

    static func permissions(_ row: Row) throws -> GroupPermissions {
        func permitted(_ column: String) throws -> PermittedMembers? {
            try row.decode(column, as: String?.self).map(PermittedMembers.init)
        }
        let standard = GroupPermissions()
        return GroupPermissions(
            send: try permitted("send_by") ?? standard.send,
            addMembers: try permitted("add_members_by") ?? standard.addMembers,
            changeInfo: try permitted("change_info_by") ?? standard.changeInfo,
            pin: try permitted("pin_by") ?? standard.pin
        )
    }

    private static func lastMessage(_ row: Row) throws -> LastMessage? {
        guard let id = try row.decode("last_id", as: UUID?.self) else { return nil }
        let hiddenAt: Date? = try row.decode("last_hidden_at")
        return LastMessage(
            id: WireID(id),
            seq: try row.decode("last_seq"),
            senderId: WireID(try row.decode("last_sender")),
            text: hiddenAt == nil ? try row.decode("last_text") : nil,
            kind: MessageKind(rawValue: try row.decode("last_kind")),
            attachments: hiddenAt == nil ? try MessageFiles.kinds(try row.decode("last_attachments")) : nil,
            timestamp: try row.decode("last_sent_at"),
            deletedAt: try row.decode("last_deleted_at") ?? hiddenAt
        )
    }
}
