import Foundation
import Messaging
import ParleyWire

/// What a row of `system_messages` keeps of an event beside who did it, to whom, and what a person has said with it.
struct SystemMessageDetails: Codable, Equatable {
    /// So many of the people concerned are named.
    static let maximumPeople = 50

    /// Of all whom it concerns, those who are not named too.
    let userCount: Int
    let role: String?
    let message: UUID?
    let setsName: Bool?
    let setsIcon: Bool?
    let joinPolicy: String?
    let historyVisibility: String?
    let permissions: PermissionsChanged?
    let setsSlowMode: Bool?
    /// In seconds; nil for no limit.
    let slowMode: Int?
    let setsRetention: Bool?
    /// In seconds; nil for ever.
    let retention: Int?

    init(_ message: SystemMessage) {
        let settings = message.settings
        userCount = message.people.count
        role = message.role?.rawValue
        self.message = message.message
        setsName = settings.name == .unchanged ? nil : true
        setsIcon = settings.icon == .unchanged ? nil : true
        joinPolicy = settings.joinPolicy?.rawValue
        historyVisibility = settings.historyVisibility?.rawValue
        permissions = settings.permissions == .nothing ? nil : settings.permissions
        setsSlowMode = settings.slowMode == .unchanged ? nil : true
        slowMode = settings.slowMode.newValue
        setsRetention = settings.retention == .unchanged ? nil : true
        retention = settings.retention.newValue
    }

    init(stored text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    var stored: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("numbers, flags and names without special values are always JSON")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// What the message has for `data`.
    func data(
        _ kind: String,
        by actor: UUID,
        to people: [UUID],
        groupName: String?,
        groupIcon: String?
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "event": .string(kind),
            "actorId": .string(WireID(actor).description),
            "userIds": .array(people.map { .string(WireID($0).description) }),
            "userCount": .number(Double(userCount)),
        ]
        if let role { members["role"] = .string(role) }
        if let message { members["messageId"] = .string(WireID(message).description) }
        let changes = changes(groupName: groupName, groupIcon: groupIcon)
        if !changes.isEmpty { members["changes"] = .object(changes) }
        return .object(members)
    }

    private func changes(groupName: String?, groupIcon: String?) -> [String: JSONValue] {
        var changes: [String: JSONValue] = [:]
        if setsName == true { changes["groupName"] = groupName.map { .string($0) } ?? .null }
        if setsIcon == true { changes["groupIcon"] = groupIcon.map { .string($0) } ?? .null }
        if let joinPolicy { changes["joinPolicy"] = .string(joinPolicy) }
        if let historyVisibility { changes["historyVisibility"] = .string(historyVisibility) }
        if setsSlowMode == true { changes["slowModeSeconds"] = .number(Double(slowMode ?? 0)) }
        if setsRetention == true { changes["retentionSeconds"] = retention.map { .number(Double($0)) } ?? .null }
        guard let permissions else { return changes }
        let chosen = [
            ("send", permissions.send), ("addMembers", permissions.addMembers),
            ("changeInfo", permissions.changeInfo), ("pin", permissions.pin),
        ]
        changes["permissions"] = .object(
            chosen.reduce(into: [:]) { object, choice in
                if let permitted = choice.1 { object[choice.0] = .string(permitted.rawValue) }
            }
        )
        return changes
    }
}
