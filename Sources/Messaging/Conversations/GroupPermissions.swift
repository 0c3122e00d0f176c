/// Who of a group's members may do what: the same for all members, or for owners and admins only.
package struct GroupPermissions: Sendable, Equatable, Codable {
    package var send = Permitted.everyone
    package var addMembers = Permitted.admins
    /// The name and the icon.
    package var changeInfo = Permitted.admins
    package var pin = Permitted.admins

    package static let standard = GroupPermissions()

    package enum Permitted: String, Sendable, Codable, CaseIterable {
        case everyone, admins
    }

    package init() {}

    mutating func apply(_ changed: PermissionsChanged) {
        send = changed.send ?? send
        addMembers = changed.addMembers ?? addMembers
        changeInfo = changed.changeInfo ?? changeInfo
        pin = changed.pin ?? pin
    }
}

/// Who may do what in a group has changed: what is nil has not.
package struct PermissionsChanged: Sendable, Equatable, Codable {
    package let send: GroupPermissions.Permitted?
    package let addMembers: GroupPermissions.Permitted?
    package let changeInfo: GroupPermissions.Permitted?
    package let pin: GroupPermissions.Permitted?

    package init(
        send: GroupPermissions.Permitted? = nil,
        addMembers: GroupPermissions.Permitted? = nil,
        changeInfo: GroupPermissions.Permitted? = nil,
        pin: GroupPermissions.Permitted? = nil
    ) {
        self.send = send
        self.addMembers = addMembers
        self.changeInfo = changeInfo
        self.pin = pin
    }

    package static let nothing = PermissionsChanged()

    /// What of it is not so already.
    func beyond(_ permissions: GroupPermissions) -> PermissionsChanged {
        PermissionsChanged(
            send: send == permissions.send ? nil : send,
            addMembers: addMembers == permissions.addMembers ? nil : addMembers,
            changeInfo: changeInfo == permissions.changeInfo ? nil : changeInfo,
            pin: pin == permissions.pin ? nil : pin
        )
    }
}
