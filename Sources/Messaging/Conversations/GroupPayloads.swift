import Foundation

/// What the log keeps of a conversation's start in the clear.
struct StartedPayload: Codable {
    let kind: ConversationKind
    let members: [ConversationStarted.Member]
    let joinPolicy: JoinPolicy
    let historyVisibility: HistoryVisibility

    init(_ event: ConversationStarted) {
        kind = event.kind
        members = event.members
        joinPolicy = event.joinPolicy
        historyVisibility = event.historyVisibility
    }

    func event(_ appearance: GroupAppearance?) -> ConversationStarted {
        var icon: String?
        appearance?.icon.applied(to: &icon)
        return ConversationStarted(
            kind: kind,
            members: members,
            joinPolicy: joinPolicy,
            historyVisibility: historyVisibility,
            name: appearance?.name,
            icon: icon
        )
    }
}

/// What the log keeps of a group's change in the clear.
struct GroupChangedPayload: Codable {
    let joinPolicy: JoinPolicy?
    let historyVisibility: HistoryVisibility?
    let setsName: Bool?
    let setsIcon: Bool?

    init(_ event: GroupChanged) {
        joinPolicy = event.joinPolicy
        historyVisibility = event.historyVisibility
        setsName = event.name == .unchanged ? nil : true
        setsIcon = event.icon == .unchanged ? nil : true
    }

    /// - Parameter appearance: nil where nothing of it was given, and once the actor is erased.
    func event(_ appearance: GroupAppearance?) -> GroupChanged {
        GroupChanged(
            name: appearance.map { $0.name.map { .set($0) } ?? .unchanged }
                ?? (setsName == true ? .cleared : .unchanged),
            icon: appearance?.icon ?? (setsIcon == true ? .cleared : .unchanged),
            joinPolicy: joinPolicy,
            historyVisibility: historyVisibility
        )
    }
}

/// What a group looks like: chosen by a person, so sealed.
struct GroupAppearance: Codable {
    let name: String?
    let icon: Change<String>

    enum CodingKeys: String, CodingKey { case name, icon }

    init(name: String?, icon: Change<String>) {
        self.name = name
        self.icon = icon
    }

    /// Nil where nothing of the appearance is given.
    func encoded() throws -> [UInt8]? {
        name == nil && icon == .unchanged ? nil : try EventJSON.encode(self)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        icon = try container.decodeChange(String.self, forKey: .icon)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encode(icon, forKey: .icon)
    }
}
