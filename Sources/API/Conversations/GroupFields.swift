import Edge
import Foundation
import Messaging
import ParleyWire

/// What a request to start a group asks for, checked.
struct CreateGroupFields {
    let name: String
    let participants: [UUID]
    /// The image that is to be the icon.
    let icon: UUID?
    let joinPolicy: JoinPolicy
    let historyVisibility: HistoryVisibility
    let permissions: PermissionsChanged

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let name = fields.groupName(limits, required: true)
        let participants = fields.ids("participantIds", atMost: limits.maxGroupMembers, required: true)
        joinPolicy = fields.choice("joinPolicy", of: JoinPolicy.self) ?? .invite
        historyVisibility = fields.choice("historyVisibility", of: HistoryVisibility.self) ?? .all
        permissions = fields.permissions()
        icon = fields.picture("groupIcon")
        guard let name, let participants, fields.areValid else { throw fields.problem }
        self.name = name
        self.participants = participants
    }

    func content(owner: UUID) -> [UInt8] {
        var content = CanonicalContent("startGroup")
        content.append(name)
        content.append(Set(participants).subtracting([owner]))
        content.append(joinPolicy.rawValue)
        content.append(historyVisibility.rawValue)
        // Nothing where none are chosen: that is what groups without any have stored.
        if permissions != .nothing {
            for permitted in [permissions.send, permissions.addMembers, permissions.changeInfo, permissions.pin] {
                content.append(permitted?.rawValue)
            }
        }
        if let icon { content.append(files: [icon]) }
        return content.bytes
    }
}

/// What a request to change a group asks for, checked.
struct PatchGroupFields {
    let name: String?
    let isIconCleared: Bool
    /// The image that is to be the icon.
    let icon: UUID?
    let joinPolicy: JoinPolicy?
    let historyVisibility: HistoryVisibility?
    let permissions: PermissionsChanged
    let retention: Change<Int>
    let slowMode: Change<Int>

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        for name in ["groupName", "joinPolicy", "historyVisibility", "permissions"] { fields.refuseNull(name) }
        name = fields.groupName(limits)
        isIconCleared = fields.isNull("groupIcon")
        icon = fields.picture("groupIcon")
        joinPolicy = fields.choice("joinPolicy", of: JoinPolicy.self)
        historyVisibility = fields.choice("historyVisibility", of: HistoryVisibility.self)
        permissions = fields.permissions()
        let seconds = Int64(ConversationDecider.retention.lowerBound)...Int64(ConversationDecider.retention.upperBound)
        let pause = 0...Int64(ConversationDecider.longestSlowMode)
        slowMode = fields.change("slowModeSeconds") { $0.integer($1, pause).map { Int($0) } }.orCleared(where: 0)
        retention = fields.change("retentionSeconds") { $0.integer($1, seconds).map { Int($0) } }
        guard fields.areValid else { throw fields.problem }
    }
}

extension Change {
    /// A value that stands for none.
    fileprivate func orCleared(where none: Value) -> Change { newValue == none ? .cleared : self }
}

extension Fields {
    fileprivate mutating func groupName(_ limits: ServerLimits, required: Bool = false) -> String? {
        name("groupName", 1...limits.maxGroupNameLength, required: required)
    }
}
