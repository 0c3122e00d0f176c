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
    /// Who has chosen the name, and who the icon: they go with the person.
    private(set) var namedBy: UUID?
    private(set) var iconBy: UUID?

    /// As it is told.
    var shown: WalkSettings {
        var settings = self
        (settings.namedBy, settings.iconBy) = (nil, nil)
        return settings
    }

    var isGroup: Bool { permissions != nil }

    /// Of two people.
    init() {}

    /// Of a group that has just been started.
    init(groupName: String, joinPolicy: GroupJoinPolicy, showsAll: Bool, by founder: UUID) {
        (self.groupName, namedBy) = (groupName, founder)
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

    /// The same again is nobody's change.
    mutating func name(_ name: String, by person: UUID) {
        guard name != groupName else { return }
        (groupName, namedBy) = (name, person)
    }

    mutating func show(_ icon: UUID?, by person: UUID) {
        guard icon != self.icon else { return }
        (self.icon, iconBy) = (icon, person)
    }

    mutating func forget(_ person: UUID) {
        if namedBy == person { groupName = nil }
        if iconBy == person { icon = nil }
    }
}
