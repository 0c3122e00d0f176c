import Foundation

/// What an event does to a total because somebody has cleared a conversation, beyond the counts that it changes.
enum ClearingStep: Sendable, Equatable {
    /// The total is without the conversation.
    case cleared(UUID, by: UUID)
    /// The person says something. What others say changes counts, and the total is told with them.
    case said(in: UUID, by: UUID)

    var person: UUID {
        switch self {
        case .cleared(_, let person), .said(_, let person): person
        }
    }
}

/// Which conversations people with open streams have cleared from their lists and said nothing in since: one's own
/// message brings the conversation back, and with it all of it that is unread.
///
/// Of some it is not known that somebody else has brought them back already. Then a total is told that is the same.
struct ClearedViews {
    /// By person; no empty sets.
    private var conversations: [UUID: Set<UUID>] = [:]

    init() {}

    init(_ cleared: Set<UUID>, by person: UUID) {
        add(cleared, by: person)
    }

    mutating func add(_ cleared: Set<UUID>, by person: UUID) {
        if !cleared.isEmpty { conversations[person, default: []].formUnion(cleared) }
    }

    mutating func add(_ other: ClearedViews) {
        for (person, cleared) in other.conversations { add(cleared, by: person) }
    }

    mutating func forget(_ person: UUID) {
        conversations[person] = nil
    }

    /// Whose counts are to be told after an event.
    ///
    /// - Parameter isNoted: whether its person is one of those who are known here.
    mutating func unread(after item: HubItem, isNoted: Bool) -> UnreadStep {
        switch item.clearing {
        case nil: return item.unread
        case .cleared(let conversation, let person):
            if isNoted { add([conversation], by: person) }
            return item.unread
        case .said(let conversation, let person):
            guard conversations[person]?.remove(conversation) != nil else { return item.unread }
            if conversations[person]?.isEmpty == true { forget(person) }
            return .members(of: conversation)
        }
    }
}
