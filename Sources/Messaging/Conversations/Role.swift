/// What a member may do in a group; in a direct conversation everyone is `member`.
package enum Role: String, Sendable, Codable, CaseIterable {
    case owner, admin, member

    /// Whether this role changes the group and its members.
    package var mayManage: Bool { self != .member }
}
