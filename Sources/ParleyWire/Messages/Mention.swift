package import Foundation

/// Whom a message mentions: a person, or everyone in the conversation.
public enum Mention: Hashable, Sendable {
    case user(WireID)
    /// `@all`.
    case all
    /// What only a later version knows.
    case other(String)

    public init(_ text: String) {
        if let id = WireID(text) {
            self = .user(id)
        } else {
            self = text == Self.allText ? .all : .other(text)
        }
    }

    public var userID: WireID? {
        if case .user(let id) = self { id } else { nil }
    }

    private static let allText = "@all"
}

extension Mention: CustomStringConvertible {
    public var description: String {
        switch self {
        case .user(let id): id.description
        case .all: Self.allText
        case .other(let text): text
        }
    }
}

extension Mention: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Array where Element == Mention {
    /// Everyone comes first.
    package init(_ people: [UUID], all: Bool) {
        self = (all ? [.all] : []) + people.map { .user(WireID($0)) }
    }
}
