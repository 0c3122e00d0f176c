/// What a member may do in a group; in a direct conversation everyone is `member`.
package enum Role: String, Sendable, Codable, CaseIterable {
    case owner, admin, member
}
