/// `PUT /v1/conversations/{id}`.
public struct CreateGroupRequest: Codable, Hashable, Sendable {
    public var groupName: String
    public var participantIds: [WireID]
    public var groupIcon: String?
    public var joinPolicy: GroupJoinPolicy?
    public var historyVisibility: GroupHistoryVisibility?
    public var permissions: GroupPermissions?

    public init(
        groupName: String,
        participantIds: [WireID],
        groupIcon: String? = nil,
        joinPolicy: GroupJoinPolicy? = nil,
        historyVisibility: GroupHistoryVisibility? = nil,
        permissions: GroupPermissions? = nil
    ) {
        self.groupName = groupName
        self.participantIds = participantIds
        self.groupIcon = groupIcon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
        self.permissions = permissions
    }
}
