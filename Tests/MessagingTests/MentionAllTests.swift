import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

private let started = ConversationEvent.started(
    ConversationStarted(
        kind: .group,
        members: [.init(id: ada, role: .owner), .init(id: grace, role: .admin), .init(id: alan, role: .member)]
    )
)

private func command(from sender: UUID, as id: UInt8 = 60, mentionsAll: Bool = true) -> SendMessage {
    SendMessage(
        messageID: person(id),
        sender: sender,
        text: "Everyone!",
        replyTo: nil,
        mentions: [alan],
        mentionsAll: mentionsAll,
        clientTimestamp: nil
    )
}

private func sent(from sender: UUID, recipients: Int = 2) -> ConversationEvent {
    .messageSent(
        MessageSent(
            messageID: person(60),
            sender: sender,
            seq: 1,
            text: "Everyone!",
            mentions: [alan],
            mentionsAll: true,
            recipientCount: recipients
        )
    )
}

private typealias Given = TestSupport.Given<ConversationDecider>

@Suite struct `Mentioning everyone` {
    @Test func `is for owners and admins of a group`() {
        for sender in [ada, grace] { Given(started).when(.send(command(from: sender))).then(sent(from: sender)) }
        Given(started).when(.send(command(from: alan))).thenRejected(.roleTooLow)
        Given(started).when(.send(command(from: bender))).thenRejected(.notFound)
        let removed = ConversationEvent.participantRemoved(ParticipantRemoved(person: grace, headSeq: 0))
        Given(started, removed).when(.send(command(from: grace))).thenRejected(.noLongerAMember)
    }

    @Test func `follows the role that the sender has then`() {
        let raised = ConversationEvent.roleChanged(RoleChanged(person: alan, role: .admin))
        Given(started, raised).when(.send(command(from: alan))).then(sent(from: alan))
        let lowered = ConversationEvent.roleChanged(RoleChanged(person: grace, role: .member))
        Given(started, lowered).when(.send(command(from: grace))).thenRejected(.roleTooLow)
    }

    @Test func `is for either of two people`() {
        let direct = ConversationEvent.started(
            ConversationStarted(kind: .direct, members: [ada, alan].map { .init(id: $0, role: .member) })
        )
        for sender in [ada, alan] {
            Given(direct).when(.send(command(from: sender))).then(sent(from: sender, recipients: 1))
        }
    }

    @Test func `in one of several messages has a member send none of them`() {
        let batch = SendMessages(messages: [
            command(from: alan, as: 61, mentionsAll: false), command(from: alan, as: 60),
        ])
        Given(started).when(.sendMessages(batch)).thenRejected(.roleTooLow)
    }
}
