public import Foundation

/// A conversation as the caller sees it.
public struct Conversation: Codable, Hashable, Sendable {
    public var id: WireID
    public var type: ConversationType
    @Nullable public var groupName: String?
    @Nullable public var groupIcon: String?
    @Nullable public var joinPolicy: GroupJoinPolicy?
    @Nullable public var historyVisibility: GroupHistoryVisibility?
    /// Null in a direct conversation.
    @Nullable public var permissions: GroupPermissions?
    /// For how long what is said stays; null for ever.
    @Nullable public var retentionSeconds: Int?
    /// The time between two messages of a member; 0 for no limit, null in a direct conversation.
    @Nullable public var slowModeSeconds: Int?
    /// Left out above 50 members.
    public var participantIds: [WireID]?
    public var participantCount: Int
    /// Sorted by `joinedAt`, `userId`; left out above 50 members.
    public var participants: [Participant]?
    @Nullable public var lastMessage: LastMessage?
    public var headSeq: Int64
    public var unreadCount: Int
    public var mentionCount: Int
    @Nullable public var firstUnreadSeq: Int64?
    /// The caller's; of a former member: as it was left.
    public var me: MemberSettings
    public var createdBy: WireID
    public var createdAt: Date
    public var updatedAt: Date
    /// Grows with every change that is told by `conversation.created`, `.updated` and `.removed`: of what the conversation
    /// itself shows, and of the caller's membership.
    public var revision: Int64
    /// Everyone named, in the answer about one conversation; lists carry their own, events none.
    public var users: [WireID: UserSummary]?
    /// In the answer to starting or joining a group, where there are any.
    public var warnings: [Warning]?

    public init(
        id: WireID,
        type: ConversationType,
        groupName: String? = nil,
        groupIcon: String? = nil,
        joinPolicy: GroupJoinPolicy? = nil,
        historyVisibility: GroupHistoryVisibility? = nil,
        permissions: GroupPermissions? = nil,
        retentionSeconds: Int? = nil,
        slowModeSeconds: Int? = nil,
        participantIds: [WireID]?,
        participantCount: Int,
        participants: [Participant]?,
        lastMessage: LastMessage?,
        headSeq: Int64,
        unreadCount: Int,
        mentionCount: Int = 0,
        firstUnreadSeq: Int64?,
        me: MemberSettings,
        createdBy: WireID,
        createdAt: Date,
        updatedAt: Date,
        revision: Int64,
        users: [WireID: UserSummary]? = nil,
        warnings: [Warning]? = nil
    ) {
        self.id = id
        self.type = type
        self.groupName = groupName
        self.groupIcon = groupIcon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
        self.permissions = permissions
        self.retentionSeconds = retentionSeconds
        self.slowModeSeconds = slowModeSeconds
        self.participantIds = participantIds
        self.participantCount = participantCount
        self.participants = participants
        self.lastMessage = lastMessage
        self.headSeq = headSeq
        self.unreadCount = unreadCount
        self.mentionCount = mentionCount
        self.firstUnreadSeq = firstUnreadSeq
        self.me = me
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.users = users
        self.warnings = warnings
    }
}
