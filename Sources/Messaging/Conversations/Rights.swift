package import Foundation

/// What people ask of a conversation.
package enum ConversationAction: Sendable, Hashable, CaseIterable {
    /// Reading it, its members, history and receipts. A former member's reading ends where the membership did.
    case read
    case send
    case moveMarks
    case join
    case leave
    case changeGroup
    case addParticipant
    case removeParticipant
    case changeRole
    /// Making somebody an owner, or changing or removing one.
    case touchOwner
    /// Editing and taking back what one has said.
    case changeOwnMessage
    case deleteOthersMessage
    case react
}

/// Where a person stands towards a conversation.
package enum Standing: Sendable, Hashable, CaseIterable {
    case owner, admin, member, formerMember, stranger
}

/// Who may do what in a conversation: the one table that says so.
///
/// Commands ask it with the state that they are decided against. Queries and streams, which have no state at hand, read
/// the memberships: a person sees what happened during one's own, as `read` has it here.
package enum Rights {
    /// Why an action is refused; nil where it is allowed.
    package static func refusal(
        of action: ConversationAction,
        by standing: Standing,
        in kind: ConversationKind,
        _ joinPolicy: JoinPolicy
    ) -> ConversationRejection? {
        let isGroup = kind == .group
        let isOpen = isGroup && joinPolicy == .open
        switch standing {
        case .stranger:
            // That there is something to be refused would already tell too much.
            return action == .join && isOpen ? nil : .notFound
        case .formerMember:
            switch action {
            case .read: return nil
            case .join: return isOpen ? nil : .notOpen
            case .send, .moveMarks, .leave, .changeGroup, .addParticipant, .removeParticipant, .changeRole, .touchOwner,
                .changeOwnMessage, .deleteOthersMessage, .react:
                return .noLongerAMember
            }
        case .owner, .admin, .member:
            switch action {
            // Joining again changes nothing.
            case .read, .send, .moveMarks, .join, .changeOwnMessage, .react: return nil
            case .leave: return isGroup ? nil : .directIsFixed
            case .changeGroup, .addParticipant, .removeParticipant, .changeRole, .deleteOthersMessage:
                guard isGroup else { return .directIsFixed }
                return standing == .member ? .roleTooLow : nil
            case .touchOwner:
                guard isGroup else { return .directIsFixed }
                return standing == .owner ? nil : .roleTooLow
            }
        }
    }
}

extension Conversation {
    /// Where a person stands towards this conversation, which may not exist.
    package func standing(of person: UUID) -> Standing {
        // Nobody acts for an erased person: a command that was under way comes too late.
        if erasedPeople.contains(person) { return .stranger }
        return switch members[person]?.role {
        case .owner: .owner
        case .admin: .admin
        case .member: .member
        case nil: formerMembers.contains(person) ? .formerMember : .stranger
        }
    }

    /// Throws why a person may not do something here; `notFound` where there is no such conversation.
    package func require(_ action: ConversationAction, by person: UUID) throws(ConversationRejection) {
        guard let kind else { throw .notFound }
        let refusal = Rights.refusal(of: action, by: standing(of: person), in: kind, joinPolicy)
        if let refusal { throw refusal }
    }

    /// The member who may do something here.
    package func member(_ person: UUID, allowedTo action: ConversationAction) throws(ConversationRejection) -> Member {
        try require(action, by: person)
        guard let member = members[person] else { throw .notFound }
        return member
    }
}
