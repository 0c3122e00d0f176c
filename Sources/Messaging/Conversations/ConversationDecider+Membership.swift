import EventSourcing
import Foundation

extension ConversationDecider {
    static func putParticipant(
        _ put: PutParticipant,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = conversation.members[put.person]
        try conversation.require(member == nil ? .addParticipant : .changeRole, by: put.actor)
        if put.role == .owner { try conversation.require(.touchOwner, by: put.actor) }
        // Who may add people, may add members.
        if member == nil, put.role == .admin { try conversation.require(.changeRole, by: put.actor) }
        guard let member else {
            return [try admission(of: put.person, as: put.role ?? .member, limit: put.maxMembers, to: conversation)]
        }
        guard let role = put.role, role != member.role else { return [] }
        if member.role == .owner { try conversation.require(.touchOwner, by: put.actor) }
        if member.role == .owner, conversation.owners == 1 { throw .lastOwner }
        return [.roleChanged(RoleChanged(person: put.person, role: role))]
    }

    static func removeParticipant(
        _ remove: RemoveParticipant,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        if remove.actor == remove.person { return try leave(remove.person, given: conversation) }
        try conversation.require(.removeParticipant, by: remove.actor)
        guard let member = conversation.members[remove.person] else {
            if conversation.formerMembers.contains(remove.person) { return [] }
            throw .personNotAMember(remove.person)
        }
        if member.role == .owner { try conversation.require(.touchOwner, by: remove.actor) }
        return [.participantRemoved(ParticipantRemoved(person: remove.person, headSeq: conversation.headSeq))]
    }

    static func join(
        _ join: Join,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        try conversation.require(.join, by: join.person)
        if conversation.members[join.person] != nil { return [] }
        return [try admission(of: join.person, as: .member, limit: join.maxMembers, to: conversation)]
    }

    static func admission(
        of person: UUID,
        as role: Role,
        limit: Int,
        to conversation: Conversation
    ) throws(ConversationRejection) -> ConversationEvent {
        guard !conversation.erasedPeople.contains(person) else { throw .personNotAMember(person) }
        guard conversation.members.count < limit else { throw .groupFull(limit: limit) }
        return .participantAdded(ParticipantAdded(person: person, role: role, headSeq: conversation.headSeq))
    }

    static func eraseMember(
        _ person: UUID,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        guard
            conversation.members[person] != nil || conversation.formerMembers.contains(person)
                || conversation.blockers.contains(person),
            !conversation.erasedPeople.contains(person)
        else { return [] }
        let erased = ConversationEvent.memberErased(MemberErased(person: person, headSeq: conversation.headSeq))
        guard conversation.isGroup, conversation.members[person] != nil else { return [erased] }
        return try leave(person, given: conversation) + [erased]
    }

    static func leave(
        _ person: UUID,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(person, allowedTo: .leave)
        let left = ConversationEvent.participantRemoved(
            ParticipantRemoved(person: person, headSeq: conversation.headSeq, hasLeft: true)
        )
        guard member.role == .owner, conversation.owners == 1, let heir = conversation.heir(of: person) else {
            return [left]
        }
        // A group never loses its last owner while anyone is in it.
        return [.roleChanged(RoleChanged(person: heir, role: .owner)), left]
    }
}

extension Conversation {
    fileprivate var owners: Int { members.all.count { $0.member.role == .owner } }

    /// The longest-standing admin, else the longest-standing member.
    fileprivate func heir(of owner: UUID) -> UUID? {
        func rank(_ member: Member) -> (Int, Int64) { (member.role == .admin ? 0 : 1, member.join) }
        return members.all.filter { $0.person != owner }.min { rank($0.member) < rank($1.member) }?.person
    }
}
