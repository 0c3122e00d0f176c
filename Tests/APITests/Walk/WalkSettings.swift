import Foundation
import ParleyWire

/// What a conversation looks like and allows, as all who are in it are told.
struct WalkSettings: Equatable {
    var groupName: String?
    /// The file of the icon.
    var icon: UUID?
    var joinPolicy: GroupJoinPolicy?
    var historyVisibility: GroupHistoryVisibility?
    var permissions: GroupPermissions?
    var slowMode: Int?
    var retention: Int?

    /// Of two people.
    init() {}

    /// Of a group that has just been started.
    init(groupName: String, joinPolicy: GroupJoinPolicy, showsAll: Bool) {
        self.groupName = groupName
        self.joinPolicy = joinPolicy
        historyVisibility = GroupHistoryVisibility(rawValue: showsAll ? "all" : "joined")
        permissions = GroupPermissions()
        slowMode = 0
    }

    init(_ seen: Conversation) {
        groupName = seen.groupName
        icon = seen.groupIcon.flatMap { AttachmentLinks.file(at: $0) }
        joinPolicy = seen.joinPolicy
        historyVisibility = seen.historyVisibility
        permissions = seen.permissions
        slowMode = seen.slowModeSeconds
        retention = seen.retentionSeconds
    }
}
