package import Foundation

/// What people ask of a conversation.
package enum ConversationAction: Sendable, Hashable, CaseIterable {
    /// Reading it, its members, history and receipts. A former member's reading ends where the membership did.
    case read
    case send
    /// Mentioning everyone in what one sends.
    case mentionAll
    case moveMarks
    case join
    case leave
    /// Its rules.
    case changeGroup
    case addParticipant
    case removeParticipant
    case changeRole
    /// Making somebody an owner, or changing or removing one.
    case touchOwner
    /// Muting, archiving and the like, for oneself.
    case changeView
    /// A group's name and icon.
    case changeInfo
    /// Pinning a message for all.
    case pinMessage
    /// Making, seeing and taking back what lets strangers in.
    case manageInvites
    /// With a code that opens: whether it does is not asked here.
    case joinByInvite
    /// Editing and taking back what one has said.
    case changeOwnMessage
    case deleteOthersMessage
    case react
    /// For how long messages stay.
    case changeRetention
}

/// Where a person stands towards a conversation.
package enum Standing: Sendable, Hashable, CaseIterable {
    case owner, admin, member
    /// Somebody who went by one's own choice.
    case leaver
    /// Somebody who was removed.
    case formerMember
    case stranger
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
        _ joinPolicy: JoinPolicy,
        _ permissions: GroupPermissions = .standard
    ) -> ConversationRejection? {
        let isGroup = kind == .group
        let isOpen = isGroup && joinPolicy == .open
        switch standing {
        case .stranger:
            // That there is something to be refused would already tell too much.
            switch action {
            case .join where isOpen: return nil
            case .joinByInvite where isGroup: return nil
            default: return .notFound
            }
        case .leaver, .formerMember:
            switch action {
            case .read: return nil
            case .join: return isOpen ? nil : .notOpen
            case .joinByInvite: return isOpen || standing == .leaver ? nil : .notInvitedBack
            case .send, .mentionAll, .moveMarks, .leave, .changeGroup, .addParticipant, .removeParticipant, .changeRole,
                .touchOwner, .changeView, .changeInfo, .pinMessage, .manageInvites, .changeOwnMessage,
                .deleteOthersMessage, .react, .changeRetention:
                return .noLongerAMember
            }
        case .owner, .admin, .member:
            switch action {
            // Joining again changes nothing.
            case .read, .moveMarks, .join, .changeView, .joinByInvite, .changeOwnMessage, .react: return nil
            case .send:
                guard isGroup else { return nil }
                return refusal(by: standing, unless: permissions.send)
            case .addParticipant:
                guard isGroup else { return .directIsFixed }
                return refusal(by: standing, unless: permissions.addMembers)
            case .changeInfo:
                guard isGroup else { return .directIsFixed }
                return refusal(by: standing, unless: permissions.changeInfo)
            case .pinMessage:
                guard isGroup else { return nil }
                return refusal(by: standing, unless: permissions.pin)
            case .leave: return isGroup ? nil : .directIsFixed
            case .changeGroup, .removeParticipant, .changeRole, .manageInvites, .deleteOthersMessage:
                guard isGroup else { return .directIsFixed }
                return standing == .member ? .roleTooLow : nil
            case .mentionAll, .changeRetention:
                // Of two people either may.
                return isGroup && standing == .member ? .roleTooLow : nil
            case .touchOwner:
                guard isGroup else { return .directIsFixed }
                return standing == .owner ? nil : .roleTooLow
            }
        }
    }

    private static func refusal(
        by standing: Standing,
        unless permitted: GroupPermissions.Permitted
    ) -> ConversationRejection? {
        permitted == .everyone || standing != .member ? nil : .roleTooLow
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
        case nil:
            if leavers.contains(person) { .leaver } else { formerMembers.contains(person) ? .formerMember : .stranger }
        }
    }

    /// Throws why a person may not do something here; `notFound` where there is no such conversation.
    package func require(_ action: ConversationAction, by person: UUID) throws(ConversationRejection) {
        guard let kind else { throw .notFound }
        let refusal = Rights.refusal(of: action, by: standing(of: person), in: kind, joinPolicy, permissions)
        if let refusal { throw refusal }
    }

    /// The member who may do something here.
    package func member(_ person: UUID, allowedTo action: ConversationAction) throws(ConversationRejection) -> Member {
        try require(action, by: person)
        guard let member = members[person] else { throw .notFound }
        return member
    }
}
