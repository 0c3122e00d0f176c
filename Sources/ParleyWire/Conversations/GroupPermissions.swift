/// Who of a group's members may do what.
public struct GroupPermissions: Codable, Hashable, Sendable {
    public var send: PermittedMembers
    public var addMembers: PermittedMembers
    /// The name and the icon.
    public var changeInfo: PermittedMembers
    public var pin: PermittedMembers

    public init(
        send: PermittedMembers = .everyone,
        addMembers: PermittedMembers = .admins,
        changeInfo: PermittedMembers = .admins,
        pin: PermittedMembers = .admins
    ) {
        self.send = send
        self.addMembers = addMembers
        self.changeInfo = changeInfo
        self.pin = pin
    }
}

/// Whom a group allows something: owners and admins are always among them.
public struct PermittedMembers: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let everyone = PermittedMembers(rawValue: "everyone")
    public static let admins = PermittedMembers(rawValue: "admins")
}
