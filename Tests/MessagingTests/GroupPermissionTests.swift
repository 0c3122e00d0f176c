import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

/// Who of a group may do what, by the group's own choice.
@Suite struct `A group that has chosen its permissions` {
    private static let started = ConversationEvent.started(
        ConversationStarted(
            kind: .group,
            members: [.init(id: ada, role: .owner), .init(id: grace, role: .admin), .init(id: alan, role: .member)]
        )
    )

    private func given(_ permissions: PermissionsChanged = .nothing) -> Given<ConversationDecider> {
        Given([Self.started] + (permissions == .nothing ? [] : [.permissionsChanged(permissions)]))
    }

    private func send(by sender: UUID) -> ConversationCommand {
        .send(
            SendMessage(
                messageID: person(99),
                sender: sender,
                text: "Hi",
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil
            )
        )
    }

    private func add(by actor: UUID, as role: Role? = nil) -> ConversationCommand {
        .putParticipant(PutParticipant(actor: actor, person: bender, role: role, maxMembers: 10))
    }

    private func change(
        by actor: UUID,
        name: String? = nil,
        joinPolicy: JoinPolicy? = nil,
        _ permissions: PermissionsChanged = .nothing
    ) -> ConversationCommand {
        .changeGroup(
            ChangeGroup(
                actor: actor,
                name: name,
                icon: .unchanged,
                joinPolicy: joinPolicy,
                historyVisibility: nil,
                permissions: permissions
            )
        )
    }

    private let added = ConversationEvent.participantAdded(
        ParticipantAdded(person: bender, role: .member, headSeq: 0)
    )

    @Test func `is one of announcements where only admins send`() {
        let announcing = given(PermissionsChanged(send: .admins))
        announcing.when(send(by: alan)).thenRejected(.roleTooLow)
        for sender in [ada, grace] {
            let sent = MessageSent(messageID: person(99), sender: sender, seq: 1, text: "Hi", recipientCount: 2)
            announcing.when(send(by: sender)).then(.messageSent(sent))
        }
    }

    @Test func `lets members add members, and nobody above`() {
        given().when(add(by: alan)).thenRejected(.roleTooLow)
        let open = given(PermissionsChanged(addMembers: .everyone))
        open.when(add(by: alan)).then(added)
        for role in [Role.admin, .owner] { open.when(add(by: alan, as: role)).thenRejected(.roleTooLow) }
    }

    @Test func `lets members rename it, and nothing else`() {
        given().when(change(by: alan, name: "Ours")).thenRejected(.roleTooLow)
        let open = given(PermissionsChanged(changeInfo: .everyone))
        open.when(change(by: alan, name: "Ours")).then(.groupChanged(GroupChanged(name: .set("Ours"))))
        open.when(change(by: alan, name: "Ours", joinPolicy: .open)).thenRejected(.roleTooLow)
        open.when(change(by: alan)).thenRejected(.roleTooLow)
    }

    @Test func `keeps who may choose them to its admins`() {
        let all = PermissionsChanged(send: .everyone, addMembers: .everyone, changeInfo: .everyone, pin: .everyone)
        given(all).when(change(by: alan, PermissionsChanged(send: .admins))).thenRejected(.roleTooLow)
        given(all).when(change(by: grace, PermissionsChanged(send: .admins, pin: .everyone)))
            .then(.permissionsChanged(PermissionsChanged(send: .admins)))
        given(all).when(change(by: grace, all)).thenNothing()
    }

    @Test func `says so from its start`() {
        let start = StartGroup(
            owner: ada,
            participants: [grace, alan],
            name: "News",
            icon: nil,
            joinPolicy: .invite,
            historyVisibility: .all,
            maxMembers: 10,
            permissions: PermissionsChanged(send: .admins, addMembers: .admins)
        )
        let started = ConversationStarted(
            kind: .group,
            members: [ada, grace, alan].map { .init(id: $0, role: $0 == ada ? .owner : .member) },
            name: "News"
        )
        Given<ConversationDecider>().when(.startGroup(start))
            .then(.started(started), .permissionsChanged(PermissionsChanged(send: .admins)))
    }

    @Test func `has an owner who makes another one, and steps down then`() {
        func put(_ person: UUID, _ role: Role) -> ConversationCommand {
            .putParticipant(PutParticipant(actor: ada, person: person, role: role, maxMembers: 10))
        }
        given().when(put(ada, .member)).thenRejected(.lastOwner)
        let transferred = ConversationEvent.roleChanged(RoleChanged(person: alan, role: .owner))
        given().when(put(alan, .owner)).then(transferred)
        Given<ConversationDecider>(Self.started, transferred).when(put(ada, .member))
            .then(.roleChanged(RoleChanged(person: ada, role: .member)))
    }

    @Test func `is no matter of two people`() {
        let direct = ConversationEvent.started(
            ConversationStarted(
                kind: .direct,
                members: [.init(id: ada, role: .member), .init(id: grace, role: .member)]
            )
        )
        Given<ConversationDecider>(direct).when(change(by: ada, PermissionsChanged(send: .admins)))
            .thenRejected(.directIsFixed)
    }
}
