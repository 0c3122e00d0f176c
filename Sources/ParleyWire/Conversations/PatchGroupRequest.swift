/// `PATCH /v1/conversations/{id}`.
public struct PatchGroupRequest: Codable, Hashable, Sendable {
    public var groupName: Patch<String>
    public var groupIcon: Patch<String>
    public var joinPolicy: Patch<GroupJoinPolicy>
    public var historyVisibility: Patch<GroupHistoryVisibility>
    public var permissions: Patch<GroupPermissions>
    public var retentionSeconds: Patch<Int>
    public var slowModeSeconds: Patch<Int>

    public init(
        groupName: Patch<String> = .unchanged,
        groupIcon: Patch<String> = .unchanged,
        joinPolicy: Patch<GroupJoinPolicy> = .unchanged,
        historyVisibility: Patch<GroupHistoryVisibility> = .unchanged,
        permissions: Patch<GroupPermissions> = .unchanged,
        retentionSeconds: Patch<Int> = .unchanged,
        slowModeSeconds: Patch<Int> = .unchanged
    ) {
        self.groupName = groupName
        self.groupIcon = groupIcon
        self.joinPolicy = joinPolicy
        self.historyVisibility = historyVisibility
        self.permissions = permissions
        self.retentionSeconds = retentionSeconds
        self.slowModeSeconds = slowModeSeconds
    }
}
