import Foundation

/// Whom an event concerns, told from memberships.
enum Audience: Sendable, Equatable {
    case nobody
    case people(Set<UUID>)
    /// The members of a conversation.
    case members(of: UUID)
    /// Those of these people who are members of a conversation.
    case someMembers(Set<UUID>, of: UUID)
    /// A person, and all members of any of these conversations, which are the person's.
    case contacts(of: UUID, in: Set<UUID>)

    /// - Parameter memberships: the conversations of `person` at that moment.
    func includes(_ person: UUID, memberOf memberships: Set<UUID>) -> Bool {
        switch self {
        case .nobody: false
        case .people(let people): people.contains(person)
        case .members(let conversation): memberships.contains(conversation)
        case .someMembers(let people, let conversation): memberships.contains(conversation) && people.contains(person)
        case .contacts(let subject, let conversations):
            person == subject || !memberships.isDisjoint(with: conversations)
        }
    }
}

/// What an event does to the members of a conversation.
enum MembershipStep: Sendable, Equatable {
    case joined(conversation: UUID, people: [UUID])
    case left(conversation: UUID, person: UUID)

    /// Applies it to the conversations of one person.
    func apply(to memberships: inout Set<UUID>, of person: UUID) {
        switch self {
        case .joined(let conversation, let people):
            if people.contains(person) { memberships.insert(conversation) }
        case .left(let conversation, let leaver):
            if leaver == person { memberships.remove(conversation) }
        }
    }
}
