import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

private let message = person(60)
private let noon = Date(timeIntervalSince1970: 1_000_000)

private func started(_ kind: ConversationKind = .group) -> ConversationEvent {
    let roles: [(UUID, Role)] =
        kind == .direct ? [(ada, .member), (grace, .member)] : [(ada, .owner), (grace, .member), (alan, .admin)]
    return .started(ConversationStarted(kind: kind, members: roles.map { .init(id: $0.0, role: $0.1) }))
}

private func change(_ seconds: Int?, by actor: UUID, name: String? = nil) -> ConversationCommand {
    .changeGroup(
        ChangeGroup(
            actor: actor,
            name: name,
            icon: .unchanged,
            joinPolicy: nil,
            historyVisibility: nil,
            retention: seconds.map { .set($0) } ?? .cleared
        )
    )
}

private func changed(_ seconds: Int?) -> ConversationEvent { .retentionChanged(RetentionChanged(seconds: seconds)) }

private func sent(_ seconds: Int?, hops: Int = 0) -> ConversationEvent {
    .messageSent(
        MessageSent(
            messageID: message,
            sender: grace,
            seq: 1,
            text: "one",
            recipientCount: 2,
            hops: hops,
            retention: seconds
        )
    )
}

private func send(hops: Int = 0) -> ConversationCommand {
    .send(
        SendMessage(
            messageID: message,
            sender: grace,
            text: "one",
            replyTo: nil,
            mentions: [],
            clientTimestamp: nil,
            hops: hops
        )
    )
}

private func expire(
    after seconds: TimeInterval,
    expiresAfter: TimeInterval? = 3_600,
    deleted: Bool = false,
    version: Int64 = 3
) -> ConversationCommand {
    let facts = MessageFacts(
        id: message,
        seq: 1,
        sender: grace,
        sentAt: noon,
        expiresAt: expiresAfter.map { noon + $0 },
        isDeleted: deleted,
        version: version
    )
    return .expireMessages(ExpireMessages(messages: [facts], now: noon + seconds))
}

private let expired = ConversationEvent.messageDeleted(
    MessageDeleted(messageID: message, seq: 1, sender: grace, isExpired: true)
)

private typealias Given = TestSupport.Given<ConversationDecider>

@Suite struct `How long messages stay` {
    @Test func `is for owners and admins of a group to say, and for either of two people`() {
        for actor in [ada, alan] { Given(started()).when(change(3_600, by: actor)).then(changed(3_600)) }
        Given(started()).when(change(3_600, by: grace)).thenRejected(.roleTooLow)
        for actor in [ada, grace] { Given(started(.direct)).when(change(3_600, by: actor)).then(changed(3_600)) }
        Given(started(.direct)).when(change(3_600, by: alan)).thenRejected(.notFound)
        // Nothing else of two people can be changed.
        Given(started(.direct)).when(change(3_600, by: ada, name: "Ours")).thenRejected(.directIsFixed)
    }

    @Test func `is said once, and taken back`() {
        Given(started(), changed(3_600)).when(change(3_600, by: ada)).then()
        Given(started(), changed(3_600)).when(change(7_200, by: ada)).then(changed(7_200))
        Given(started(), changed(3_600)).when(change(nil, by: ada)).then(changed(nil))
        Given(started()).when(change(nil, by: ada)).then()
        let renamed = ConversationEvent.groupChanged(GroupChanged(name: .set("Ours")))
        Given(started()).when(change(3_600, by: ada, name: "Ours")).then(renamed, changed(3_600))
    }

    @Test func `is not said to whom nothing can be said`() {
        let blocked = ConversationEvent.blockChanged(BlockChanged(person: grace, blocked: ada, isBlocked: true))
        Given(started(.direct), blocked).when(change(3_600, by: ada)).thenRejected(.otherIsOutOfReach)
        Given(started(.direct), blocked).when(change(3_600, by: grace)).thenRejected(.otherIsBlocked)
        let erased = ConversationEvent.memberErased(MemberErased(person: grace, headSeq: 0))
        Given(started(.direct), erased).when(change(3_600, by: ada)).thenRejected(.otherIsErased)
    }

    @Test func `goes with what is sent then, written or passed on`() {
        Given(started()).when(send()).then(sent(nil))
        Given(started(), changed(3_600)).when(send()).then(sent(3_600))
        Given(started(), changed(3_600)).when(send(hops: 2)).then(sent(3_600, hops: 2))
        Given(started(), changed(3_600), changed(nil)).when(send()).then(sent(nil))
    }
}

@Suite struct `A message that goes by itself` {
    @Test func `goes when its time is over, and not before`() {
        Given(started(), changed(3_600), sent(3_600)).when(expire(after: 3_599.999)).then()
        Given(started(), changed(3_600), sent(3_600)).when(expire(after: 3_600)).then(expired)
    }

    @Test func `goes by the time that it was sent under, whatever is so now`() {
        Given(started(), changed(3_600), sent(3_600), changed(nil)).when(expire(after: 3_600, version: 4)).then(expired)
        Given(started(), sent(nil), changed(3_600)).when(expire(after: 99_999, expiresAfter: nil)).then()
    }

    @Test func `goes once, and not after it was deleted`() {
        let deleted = ConversationEvent.messageDeleted(MessageDeleted(messageID: message, seq: 1, sender: grace))
        for end in [expired, deleted] {
            Given(started(), changed(3_600), sent(3_600), end).when(expire(after: 3_600)).then()
            Given(started(), changed(3_600), sent(3_600), end).when(expire(after: 3_600, deleted: true, version: 4))
                .then()
        }
    }

    @Test func `is edited no more once it is gone`() {
        let facts = MessageFacts(id: message, seq: 1, sender: grace, sentAt: noon, version: 3)
        let edit = ConversationCommand.editMessage(
            EditMessage(message: facts, editor: grace, text: "two", now: noon, window: 60)
        )
        Given(started(), changed(3_600), sent(3_600), expired).when(edit).thenRejected(.messageIsDeleted)
    }

    @Test func `is nobody's doing, and in no conversation that there is not`() {
        Given().when(expire(after: 3_600)).thenRejected(.notFound)
        #expect(expired.kind.type == "messageExpired" && expired.subject == message && expired.retractsContent)
        #expect(sent(3_600).kind.type == "limitedMessageSent" && sent(nil).kind.type == "messageSent")
    }
}
