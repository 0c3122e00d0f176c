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
    /// All who are connected, where it could not be found out which contacts of a person it concerns.
    case everybody

    /// Whether it is of a change of somebody's profile.
    var isAboutAPerson: Bool {
        switch self {
        case .contacts, .everybody: true
        case .nobody, .people, .members, .someMembers: false
        }
    }

    /// - Parameter memberships: the conversations of `person` at that moment.
    func includes(_ person: UUID, memberOf memberships: Set<UUID>) -> Bool {
        switch self {
        case .nobody: false
        case .people(let people): people.contains(person)
        case .members(let conversation): memberships.contains(conversation)
        case .someMembers(let people, let conversation): memberships.contains(conversation) && people.contains(person)
        case .contacts(let subject, let conversations):
            person == subject || !memberships.isDisjoint(with: conversations)
        case .everybody: true
        }
    }
}

/// What an event does to the members of a conversation.
enum MembershipStep: Sendable, Equatable {
    /// - Parameter headSeq: the newest message at that moment.
    case joined(conversation: UUID, people: [UUID], headSeq: Int64 = 0)
    case left(conversation: UUID, person: UUID)

    /// Applies it to the conversations of one person.
    func apply(to memberships: inout Set<UUID>, of person: UUID) {
        switch self {
        case .joined(let conversation, let people, _):
            if people.contains(person) { memberships.insert(conversation) }
        case .left(let conversation, let leaver):
            if leaver == person { memberships.remove(conversation) }
        }
    }
}
