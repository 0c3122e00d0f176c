/// Whether two people talk or a group.
package enum ConversationKind: String, Sendable, Codable {
    case direct, group
}

/// Who may come into a group by themselves.
package enum JoinPolicy: String, Sendable, Codable, CaseIterable {
    case invite, open
}

/// How far back a member of a group reads.
package enum HistoryVisibility: String, Sendable, Codable, CaseIterable {
    /// From the first message.
    case all
    /// From the member's own joining.
    case joined
}
