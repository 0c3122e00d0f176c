import EventSourcing
package import Foundation

extension ConversationDecider {
    /// How many invites of a group may be open at once.
    package static let maxInvites = 100

    static func createInvite(
        _ create: CreateInvite,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        try conversation.require(.manageInvites, by: create.actor)
        let over = conversation.invites.filter { !$0.value.isOpen(at: create.now) }.keys
        guard conversation.invites.count - over.count < maxInvites else { throw .tooManyInvites(limit: maxInvites) }
        let created = InviteCreated(
            invite: create.code.invite,
            command: create.command,
            creator: create.actor,
            maxUses: create.maxUses,
            expiresAt: create.expiresAt,
            code: create.code.text
        )
        // Nothing else looks after those whose time is over.
        let swept = over.isEmpty ? [] : [ConversationEvent.invitesEnded(InvitesEnded(invites: over.sorted()))]
        return [.inviteCreated(created)] + swept
    }

    static func endInvite(
        _ end: EndInvite,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        try conversation.require(.manageInvites, by: end.actor)
        guard conversation.invites[end.invite] != nil else { throw .notFound }
        return [.invitesEnded(InvitesEnded(invites: [end.invite]))]
    }

    static func joinByInvite(
        _ join: JoinByInvite,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        // Who has come in asks again where the answer was lost, also if that was the last use.
        if conversation.members[join.person] != nil { return [] }
        // Before anything else is said: whoever has no code that opens learns nothing.
        guard conversation.openInvite(join.invite, at: join.now) != nil else { throw .notFound }
        try conversation.require(.joinByInvite, by: join.person)
        return [
            try admission(of: join.person, as: .member, limit: join.maxMembers, to: conversation),
            .inviteUsed(InviteUsed(invite: join.invite, person: join.person)),
        ]
    }
}

extension Conversation {
    package func openInvite(_ id: UUID, at now: Date) -> Invite? {
        invites[id].flatMap { $0.isOpen(at: now) ? $0 : nil }
    }

    mutating func use(_ invite: UUID) {
        guard var used = invites[invite] else { return }
        used.uses += 1
        invites[invite] = used.uses == used.maxUses ? nil : used
    }

    /// What an erased person has given away opens nothing any more.
    mutating func endInvites(of person: UUID) {
        guard !invites.isEmpty else { return }
        invites = invites.filter { $0.value.creator != person }
    }
}
