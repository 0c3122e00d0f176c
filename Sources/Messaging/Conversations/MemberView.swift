package import Foundation

/// What a member is told of by notifications.
package enum NotificationLevel: String, Sendable, Codable, CaseIterable {
    case all, mentions, none
}

/// What a member has made of the own view of a conversation, where that is not the default: private to the member.
package struct MemberView: Sendable, Equatable, Codable {
    package var mutedUntil: Date?
    /// Nil for all.
    package var notificationLevel: NotificationLevel?
    /// The newest `seq` when it was put into the archive: a newer message takes it out, unless it came while muted.
    package var archivedSeq: Int64?
    package var pinnedAt: Date?
    /// The newest `seq` when it was cleared from the list: a newer message brings it back.
    package var clearedSeq: Int64?
    /// It shows as unread for as long as nothing after this is read.
    package var unreadAfter: Int64?

    package init() {}

    var isDefault: Bool { self == MemberView() }

    mutating func apply(_ changed: ViewChanged) {
        changed.mutedUntil.applied(to: &mutedUntil)
        if let level = changed.notificationLevel { notificationLevel = level == .all ? nil : level }
        changed.archivedSeq.applied(to: &archivedSeq)
        changed.pinnedAt.applied(to: &pinnedAt)
        clearedSeq = changed.clearedSeq ?? clearedSeq
    }
}
