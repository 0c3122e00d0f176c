import Foundation
import Messaging
import ParleyWire

/// The `data` of a system message, read as a client would.
struct SystemData: Equatable {
    var event: String
    var actor: String
    var users: [String]
    var count: Double
    var role: String?
    var message: String?
    var changes: [String: JSONValue]

    init(_ systemMessage: SystemMessage) {
        event = systemMessage.kind.rawValue
        actor = WireID(systemMessage.actor).description
        users = systemMessage.people.prefix(50).map { WireID($0).description }
        count = Double(systemMessage.people.count)
        role = systemMessage.role?.rawValue
        message = systemMessage.message.map { WireID($0).description }
        changes = [:]
        let settings = systemMessage.settings
        if settings.name != .unchanged { changes["groupName"] = settings.name.newValue.map { .string($0) } ?? .null }
        if settings.icon != .unchanged { changes["groupIcon"] = settings.icon.newValue.map { .string($0) } ?? .null }
        changes["joinPolicy"] = settings.joinPolicy.map { .string($0.rawValue) }
        changes["historyVisibility"] = settings.historyVisibility.map { .string($0.rawValue) }
        switch settings.slowMode {
        case .unchanged: break
        case .cleared: changes["slowModeSeconds"] = .number(0)
        case .set(let seconds): changes["slowModeSeconds"] = .number(Double(seconds))
        }
        switch settings.retention {
        case .unchanged: break
        case .cleared: changes["retentionSeconds"] = .null
        case .set(let seconds): changes["retentionSeconds"] = .number(Double(seconds))
        }
        let permissions = settings.permissions
        guard permissions != .nothing else { return }
        var chosen: [String: JSONValue] = [:]
        chosen["send"] = permissions.send.map { .string($0.rawValue) }
        chosen["addMembers"] = permissions.addMembers.map { .string($0.rawValue) }
        chosen["changeInfo"] = permissions.changeInfo.map { .string($0.rawValue) }
        chosen["pin"] = permissions.pin.map { .string($0.rawValue) }
        changes["permissions"] = .object(chosen)
    }

    /// Nil where something is missing.
    init?(_ data: JSONValue?) {
        guard case .object(let members) = data, case .string(let event) = members["event"],
            case .string(let actor) = members["actorId"], case .array(let users) = members["userIds"],
            case .number(let count) = members["userCount"]
        else { return nil }
        self.event = event
        self.actor = actor
        self.users = users.compactMap { if case .string(let text) = $0 { text } else { nil } }
        self.count = count
        if case .string(let text) = members["role"] { role = text }
        if case .string(let text) = members["messageId"] { message = text }
        changes = if case .object(let changes) = members["changes"] { changes } else { [:] }
    }
}

extension Message {
    var systemData: SystemData? { SystemData(data) }
}
