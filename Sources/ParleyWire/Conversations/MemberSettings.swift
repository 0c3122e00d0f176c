public import Foundation

/// `me` of a conversation: what is private to the caller, and the caller's marks.
public struct MemberSettings: Codable, Hashable, Sendable {
    public var role: ParticipantRole
    public var deliveredSeq: Int64
    public var readSeq: Int64
    @Nullable public var mutedUntil: Date?
    public var notificationLevel: NotificationLevel
    public var archived: Bool
    public var pinned: Bool
    @Nullable public var draft: String?
    public var markedUnread: Bool

    public init(
        role: ParticipantRole,
        deliveredSeq: Int64,
        readSeq: Int64,
        mutedUntil: Date? = nil,
        notificationLevel: NotificationLevel = .all,
        archived: Bool = false,
        pinned: Bool = false,
        draft: String? = nil,
        markedUnread: Bool = false
    ) {
        self.role = role
        self.deliveredSeq = deliveredSeq
        self.readSeq = readSeq
        self.mutedUntil = mutedUntil
        self.notificationLevel = notificationLevel
        self.archived = archived
        self.pinned = pinned
        self.draft = draft
        self.markedUnread = markedUnread
    }
}
