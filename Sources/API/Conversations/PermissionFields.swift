import Edge
import Messaging
import ParleyWire

extension Fields {
    /// The permissions that a request chooses; what it leaves out, and what this version does not know, stays.
    mutating func permissions() -> PermissionsChanged {
        object("permissions") { fields in
            for name in ["send", "addMembers", "changeInfo", "pin"] { fields.refuseNull(name) }
            return PermissionsChanged(
                send: fields.choice("send", of: Messaging.GroupPermissions.Permitted.self),
                addMembers: fields.choice("addMembers", of: Messaging.GroupPermissions.Permitted.self),
                changeInfo: fields.choice("changeInfo", of: Messaging.GroupPermissions.Permitted.self),
                pin: fields.choice("pin", of: Messaging.GroupPermissions.Permitted.self)
            )
        } ?? .nothing
    }
}

extension ParleyWire.GroupPermissions {
    init(_ permissions: Messaging.GroupPermissions) {
        self.init(
            send: PermittedMembers(rawValue: permissions.send.rawValue),
            addMembers: PermittedMembers(rawValue: permissions.addMembers.rawValue),
            changeInfo: PermittedMembers(rawValue: permissions.changeInfo.rawValue),
            pin: PermittedMembers(rawValue: permissions.pin.rawValue)
        )
    }
}
