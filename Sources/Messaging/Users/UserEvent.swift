package import EventSourcing
package import Foundation

/// What happened to a person's profile.
///
/// Indirect, because it is handed on and matched many times: a copy is one reference, not all that it holds.
package indirect enum UserEvent: Sendable, Equatable {
    /// The name is nil where none was given yet, and once the person is erased.
    case registered(displayName: String?)
    case profileChanged(ProfileChange)
    /// The person is gone for good: nothing personal is left, and every further command is refused.
    case erased
    /// The account is closed until it is reactivated; what the person said and is called stays.
    case deactivated
    case reactivated
}

extension UserEvent: DomainEvent {
    package var kind: EventKind {
        switch self {
        case .registered: .userRegistered
        case .profileChanged(let change): change.showPresence == nil ? .profileChanged : .settingsChanged
        case .erased: .userErased
        case .deactivated: .userDeactivated
        case .reactivated: .userReactivated
        }
    }

    package var subject: UUID? { nil }
    package var isErasure: Bool { self == .erased }

    package func encodePayload() throws -> [UInt8] { Array("{}".utf8) }

    package func encodePersonal() throws -> [UInt8]? {
        switch self {
        case .registered(let displayName): try EventJSON.encode(Profile(ProfileChange(displayName: displayName)))
        case .profileChanged(let change): try EventJSON.encode(Profile(change))
        case .erased, .deactivated, .reactivated: nil
        }
    }

    package init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {
        let change =
            try content.personal.map { try EventJSON.decode(Profile.self, from: $0).change } ?? ProfileChange()
        switch kind {
        case .userRegistered: self = .registered(displayName: change.displayName)
        case .profileChanged, .settingsChanged: self = .profileChanged(change)
        case .userErased: self = .erased
        case .userDeactivated: self = .deactivated
        case .userReactivated: self = .reactivated
        default: throw UndecodableEvent(kind)
        }
    }
}

/// All of a profile is personal: it is stored sealed.
private struct Profile: Codable {
    let change: ProfileChange

    enum CodingKeys: String, CodingKey { case displayName, photoURL, readReceipts, showPresence, timeZone, locale }

    init(_ change: ProfileChange) {
        self.change = change
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        change = ProfileChange(
            displayName: try container.decodeIfPresent(String.self, forKey: .displayName),
            photoURL: try container.decodeChange(String.self, forKey: .photoURL),
            readReceipts: try container.decodeIfPresent(Bool.self, forKey: .readReceipts),
            showPresence: try container.decodeIfPresent(Bool.self, forKey: .showPresence),
            timeZone: try container.decodeChange(String.self, forKey: .timeZone),
            locale: try container.decodeChange(String.self, forKey: .locale)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(change.displayName, forKey: .displayName)
        try container.encode(change.photoURL, forKey: .photoURL)
        try container.encodeIfPresent(change.readReceipts, forKey: .readReceipts)
        try container.encodeIfPresent(change.showPresence, forKey: .showPresence)
        try container.encode(change.timeZone, forKey: .timeZone)
        try container.encode(change.locale, forKey: .locale)
    }
}
