public import Foundation

/// `me` of a conversation: what is private to the caller, and the caller's marks.
public struct MemberSettings: Codable, Hashable, Sendable {
    public var role: ParticipantRole
    public var deliveredSeq: Int64
    public var readSeq: Int64
    @Nullable public var mutedUntil: Date?
    public var notificationLevel: NotificationLevel
    /// A newer message ends it, unless it came before ``mutedUntil``.
    public var archived: Bool
    public var pinned: Bool
    /// What is pinned is shown in this order, the latest first.
    @Nullable public var pinnedAt: Date?
    @Nullable public var draft: String?
    /// When it was written, by the clock of the device.
    @Nullable public var draftUpdatedAt: Date?
    /// Unread for the caller, whatever the count, until the caller reads on.
    public var markedUnread: Bool
    /// Not in the list until the next message.
    public var cleared: Bool
    /// When the caller left, or was removed; left out while the caller is a member.
    public var leftAt: Date?

    public init(
        role: ParticipantRole,
        deliveredSeq: Int64,
        readSeq: Int64,
        mutedUntil: Date? = nil,
        notificationLevel: NotificationLevel = .all,
        archived: Bool = false,
        pinned: Bool = false,
        pinnedAt: Date? = nil,
        draft: String? = nil,
        draftUpdatedAt: Date? = nil,
        cleared: Bool = false,
        markedUnread: Bool = false,
        leftAt: Date? = nil
    ) {
        self.role = role
        self.deliveredSeq = deliveredSeq
        self.readSeq = readSeq
        self.mutedUntil = mutedUntil
        self.notificationLevel = notificationLevel
        self.archived = archived
        self.pinned = pinned
        self.pinnedAt = pinnedAt
        self.draft = draft
        self.draftUpdatedAt = draftUpdatedAt
        self.markedUnread = markedUnread
        self.leftAt = leftAt
        self.cleared = cleared
    }
}
