import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

/// What an erasure does to a person and to the conversations of that person.
@Suite struct ErasureTests {
    private let group = ConversationEvent.started(
        ConversationStarted(
            kind: .group,
            members: [.init(id: ada, role: .owner), .init(id: grace, role: .member), .init(id: alan, role: .admin)],
            joinPolicy: .open,
            name: "Friends"
        )
    )
    private let direct = ConversationEvent.started(
        ConversationStarted(kind: .direct, members: [.init(id: ada, role: .member), .init(id: grace, role: .member)])
    )

    private func gone(_ person: UUID, headSeq: Int64 = 0) -> ConversationEvent {
        .memberErased(MemberErased(person: person, headSeq: headSeq))
    }

    private func left(_ person: UUID) -> ConversationEvent {
        .participantRemoved(ParticipantRemoved(person: person, headSeq: 0, hasLeft: true))
    }

    private func send(from sender: UUID) -> ConversationCommand {
        .send(
            SendMessage(
                messageID: person(99),
                sender: sender,
                text: "hello",
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil
            )
        )
    }

    @Test func `an erased owner leaves the group to an heir`() {
        Given<ConversationDecider>(group).when(.eraseMember(ada)).then(
            .roleChanged(RoleChanged(person: alan, role: .owner)),
            left(ada),
            gone(ada)
        )
    }

    @Test func `the last member of a group can be erased`() {
        Given<ConversationDecider>(group, left(grace), left(alan)).when(.eraseMember(ada)).then(left(ada), gone(ada))
    }

    @Test func `a former member's words go, too`() {
        Given<ConversationDecider>(group, left(grace)).when(.eraseMember(grace)).then(gone(grace))
    }

    @Test func `an erasure happens once, and concerns nobody else's conversations`() {
        Given<ConversationDecider>(group, left(grace), gone(grace)).when(.eraseMember(grace)).thenNothing()
        Given<ConversationDecider>(group).when(.eraseMember(bender)).thenNothing()
        Given<ConversationDecider>().when(.eraseMember(ada)).thenNothing()
    }

    @Test func `a direct conversation keeps both, and nobody can speak in it any more`() {
        let erased = Given<ConversationDecider>(direct, gone(ada))
        erased.when(send(from: grace)).thenRejected(.otherIsErased)
        erased.when(send(from: ada)).thenRejected(.notFound)
        erased.when(.eraseMember(ada)).thenNothing()
        Given<ConversationDecider>(direct).when(.eraseMember(ada)).then(gone(ada))
    }

    @Test func `an erased person never comes back`() {
        let erased = Given<ConversationDecider>(group, left(grace), gone(grace))
        let put = PutParticipant(actor: ada, person: grace, role: nil, maxMembers: 10)
        erased.when(.putParticipant(put)).thenRejected(.personNotAMember(grace))
        erased.when(.join(Join(person: grace, maxMembers: 10))).thenRejected(.personNotAMember(grace))
        erased.when(send(from: grace)).thenRejected(.notFound)
    }

    @Test func `the marks of an erased person stay where they are`() {
        let sent = ConversationEvent.messageSent(
            MessageSent(messageID: person(99), sender: grace, seq: 1, text: "x", recipientCount: 1)
        )
        let advance = ReceiptAdvance(person: ada, deliveredSeq: 1, readSeq: 1)
        Given<ConversationDecider>(direct, sent, gone(ada)).when(.advanceReceipts([advance])).thenNothing()
    }

    @Test func `a person is erased once and then refused everything`() {
        Given<UserDecider>(.registered(displayName: "Ada")).when(.erase).then(.erased)
        let erased = Given<UserDecider>(.registered(displayName: "Ada"), .erased)
        erased.when(.erase).thenNothing()
        for command in [
            UserCommand.register(displayName: "Ada"), .changeProfile(ProfileChange(displayName: "Ada")), .deactivate,
            .reactivate,
        ] {
            erased.when(command).thenRejected(.erased)
        }
        Given<UserDecider>().when(.erase).thenNothing()
    }

    @Test func `an account is deactivated and reactivated, each once`() {
        let registered = UserEvent.registered(displayName: "Ada")
        Given<UserDecider>(registered).when(.deactivate).then(.deactivated)
        Given<UserDecider>(registered).when(.reactivate).thenNothing()
        Given<UserDecider>(registered, .deactivated).when(.deactivate).thenNothing()
        Given<UserDecider>(registered, .deactivated).when(.reactivate).then(.reactivated)
        Given<UserDecider>(registered, .deactivated, .reactivated).when(.deactivate).then(.deactivated)
        Given<UserDecider>().when(.deactivate).thenRejected(.notFound)
    }
}
