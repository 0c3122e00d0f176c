import ParleyWire

/// A group after its last step: what its answers imply.
struct PlayedGroup: Sendable {
    let plan: GroupPlan
    let expected: ExpectedConversation
    let names: [PersonNumber: String]
    /// Tokens that cover every command of the group.
    let positions: [String]

    var path: String { "/v1/conversations/\(plan.conversationID)" }
}

extension GroupReplay {
    var played: PlayedGroup {
        PlayedGroup(
            plan: group,
            expected: expected,
            names: names,
            positions: [position].compactMap(\.self) + rivalPositions + renamePositions
        )
    }
}
