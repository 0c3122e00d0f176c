import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

/// Letting strangers in by a code.
@Suite struct `An invite` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let code = InviteCode(of: person(77))

    private func started(_ kind: ConversationKind = .group) -> ConversationEvent {
        .started(
            ConversationStarted(
                kind: kind,
                members: [.init(id: ada, role: .owner), .init(id: grace, role: .admin), .init(id: alan, role: .member)]
            )
        )
    }

    private func created(
        _ invite: UUID? = nil,
        by creator: UUID = ada,
        maxUses: Int? = nil,
        expiresAt: Date? = nil
    ) -> InviteCreated {
        InviteCreated(
            invite: invite ?? code.invite,
            command: person(50),
            creator: creator,
            maxUses: maxUses,
            expiresAt: expiresAt,
            code: code.text
        )
    }

    private func create(by actor: UUID = ada) -> ConversationCommand {
        .createInvite(
            CreateInvite(actor: actor, code: code, command: person(50), maxUses: nil, expiresAt: nil, now: now)
        )
    }

    private func join(_ person: UUID, limit: Int = 10) -> ConversationCommand {
        .joinByInvite(JoinByInvite(person: person, invite: code.invite, maxMembers: limit, now: now))
    }

    private func end(by actor: UUID) -> ConversationCommand {
        .endInvite(EndInvite(actor: actor, invite: code.invite))
    }

    private func joined(_ person: UUID) -> [ConversationEvent] {
        [
            .participantAdded(ParticipantAdded(person: person, role: .member, headSeq: 0)),
            .inviteUsed(InviteUsed(invite: code.invite, person: person)),
        ]
    }

    private func expect(_ outcome: Outcome<ConversationDecider>, _ events: [ConversationEvent]) {
        guard case .events(events) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `is made, and taken back, by owner and admin`() {
        for actor in [ada, grace] {
            Given<ConversationDecider>(started()).when(create(by: actor)).then(.inviteCreated(created(by: actor)))
            Given<ConversationDecider>(started(), .inviteCreated(created())).when(end(by: actor))
                .then(.invitesEnded(InvitesEnded(invites: [code.invite])))
        }
        for (actor, refusal) in [(alan, ConversationRejection.roleTooLow), (bender, .notFound)] {
            Given<ConversationDecider>(started()).when(create(by: actor)).thenRejected(refusal)
            Given<ConversationDecider>(started(), .inviteCreated(created())).when(end(by: actor)).thenRejected(refusal)
        }
        Given<ConversationDecider>(started(.direct)).when(create()).thenRejected(.directIsFixed)
    }

    @Test func `lets a stranger in`() {
        expect(Given<ConversationDecider>(started(), .inviteCreated(created())).when(join(bender)), joined(bender))
    }

    @Test func `is used as often as it says, and by each once`() {
        let events = [started(), .inviteCreated(created(maxUses: 1))] + joined(bender)
        Given<ConversationDecider>(events).when(join(person(5))).thenRejected(.notFound)
        // Who has come in by the last use asks again where the answer was lost.
        Given<ConversationDecider>(events).when(join(bender)).thenNothing()
        Given<ConversationDecider>(started(), .inviteCreated(created(maxUses: 1))).when(join(alan)).thenNothing()
    }

    @Test func `opens nothing once it is taken back, over, of an erased person, or none`() {
        let invite = ConversationEvent.inviteCreated(created())
        let ends: [[ConversationEvent]] = [
            [], [invite, .invitesEnded(InvitesEnded(invites: [code.invite]))],
            [.inviteCreated(created(expiresAt: now))],
            [
                invite, .participantRemoved(ParticipantRemoved(person: ada, headSeq: 0)),
                .memberErased(MemberErased(person: ada, headSeq: 0)),
            ],
        ]
        for events in ends {
            Given<ConversationDecider>([started()] + events).when(join(bender)).thenRejected(.notFound)
        }
        Given<ConversationDecider>().when(join(bender)).thenRejected(.notFound)
        let open = ConversationEvent.inviteCreated(created(expiresAt: now.addingTimeInterval(0.001)))
        expect(Given<ConversationDecider>(started(), open).when(join(bender)), joined(bender))
    }

    @Test func `brings back who left, and not who was removed since`() {
        let left = ConversationEvent.participantRemoved(ParticipantRemoved(person: alan, headSeq: 0, hasLeft: true))
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: alan, role: .member, headSeq: 0))
        let removed = ConversationEvent.participantRemoved(ParticipantRemoved(person: alan, headSeq: 0))
        let invite = ConversationEvent.inviteCreated(created())
        expect(Given<ConversationDecider>(started(), invite, left).when(join(alan)), joined(alan))
        Given<ConversationDecider>(started(), invite, left, added, removed).when(join(alan))
            .thenRejected(.notInvitedBack)
        // Without one that opens, nothing is said.
        Given<ConversationDecider>(started(), left).when(join(alan)).thenRejected(.notFound)
    }

    @Test func `does not bring back who was removed`() {
        let removed = ConversationEvent.participantRemoved(ParticipantRemoved(person: alan, headSeq: 0))
        Given<ConversationDecider>(started(), .inviteCreated(created()), removed).when(join(alan))
            .thenRejected(.notInvitedBack)
        // Without one that opens, nothing is said.
        Given<ConversationDecider>(started(), removed).when(join(alan)).thenRejected(.notFound)
    }

    @Test func `lets in nobody who is erased, and no more than the group takes`() {
        let erased: [ConversationEvent] = [
            started(), .inviteCreated(created()),
            .participantRemoved(ParticipantRemoved(person: alan, headSeq: 0)),
            .memberErased(MemberErased(person: alan, headSeq: 0)),
        ]
        Given<ConversationDecider>(erased).when(join(alan)).thenRejected(.personNotAMember(alan))
        Given<ConversationDecider>(started(), .inviteCreated(created())).when(join(bender, limit: 3))
            .thenRejected(.groupFull(limit: 3))
    }

    @Test func `is one of a hundred at most, those that are over left out`() {
        let open = (0..<100).map { _ in ConversationEvent.inviteCreated(created(UUID())) }
        Given<ConversationDecider>([started()] + open).when(create()).thenRejected(.tooManyInvites(limit: 100))
        let over = UUID()
        let last = ConversationEvent.inviteCreated(created(over, expiresAt: now))
        Given<ConversationDecider>([started(), last] + open.dropLast()).when(create())
            .then(.inviteCreated(created()), .invitesEnded(InvitesEnded(invites: [over])))
    }

    // MARK: Codes

    @Test func `has a code that reads as it was written, and no other`() throws {
        let read = try #require(InviteCode(code.text))
        #expect(read == code && read.conversation == person(77))
        #expect(InviteCode(of: person(77)) != code)
        let last = try #require(code.text.last)
        // The last character has two bits to spare.
        let others = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".filter { $0 != last }
        let alike = others.filter { InviteCode(String(code.text.dropLast()) + String($0))?.invite == code.invite }
        #expect(alike.isEmpty)
        for text in ["", "A", code.text + "A", String(code.text.dropLast()), String(repeating: "/", count: 43)] {
            #expect(InviteCode(text) == nil)
        }
    }
}
