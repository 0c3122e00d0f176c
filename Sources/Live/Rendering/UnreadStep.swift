import Foundation

/// Whose unread counts an event changes.
enum UnreadStep: Sendable, Equatable {
    case none
    case members(of: UUID)
    case membersWithout(UUID, of: UUID)
    case people([UUID], of: UUID)

    /// What it says of one person, whose stream joins after the event.
    func restricted(to person: UUID) -> UnreadStep {
        switch self {
        case .none: .none
        case .members(let conversation): .people([person], of: conversation)
        case .membersWithout(let sender, let conversation):
            person == sender ? .none : .people([person], of: conversation)
        case .people(let people, let conversation):
            people.contains(person) ? .people([person], of: conversation) : .none
        }
    }
}
