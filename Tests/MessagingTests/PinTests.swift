import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

private let message = person(60)

private func started(_ kind: ConversationKind = .group, _ visibility: HistoryVisibility = .all) -> ConversationEvent {
    let roles: [(UUID, Role)] =
        kind == .direct ? [(ada, .member), (grace, .member)] : [(ada, .owner), (grace, .member), (alan, .admin)]
    return .started(
        ConversationStarted(
            kind: kind,
            members: roles.map { .init(id: $0.0, role: $0.1) },
            historyVisibility: visibility
        )
    )
}

private let sent = ConversationEvent.messageSent(
    MessageSent(messageID: message, sender: grace, seq: 1, text: "one", recipientCount: 2)
)
private let deleted = ConversationEvent.messageDeleted(MessageDeleted(messageID: message, seq: 1, sender: grace))

private func pin(
    by actor: UUID,
    pins: Bool = true,
    deleted: Bool = false,
    version: Int64 = 2
) -> ConversationCommand {
    let facts = MessageFacts(
        id: message,
        seq: 1,
        sender: grace,
        sentAt: Date(timeIntervalSince1970: 1_000),
        isDeleted: deleted,
        version: version
    )
    return .pin(PinMessage(message: facts, actor: actor, isPinned: pins))
}

private func changed(_ message: UUID = message, in kind: ConversationKind = .group) -> PinChanged {
    PinChanged(messageID: message, seq: 1, in: kind)
}

private let pinned = ConversationEvent.messagePinned(changed())
private let unpinned = ConversationEvent.messageUnpinned(changed())

private typealias Given = TestSupport.Given<ConversationDecider>

@Suite struct `Pinning a message` {
    @Test(arguments: [ada, alan]) func `is for owners and admins`(_ actor: UUID) {
        Given(started(), sent).when(pin(by: actor)).then(pinned)
        Given(started(), sent, pinned).when(pin(by: actor, pins: false)).then(unpinned)
    }

    @Test func `is for all where the group wants it so`() {
        let chosen = ConversationEvent.permissionsChanged(PermissionsChanged(pin: .everyone))
        Given(started(), sent).when(pin(by: grace)).thenRejected(.roleTooLow)
        Given(started(), sent, chosen).when(pin(by: grace)).then(pinned)
        Given(started(), sent, chosen).when(pin(by: bender)).thenRejected(.notFound)
    }

    @Test func `is for both sides of a direct conversation`() {
        Given(started(.direct), sent).when(pin(by: ada)).then(.messagePinned(changed(in: .direct)))
        Given(started(.direct), sent).when(pin(by: grace)).then(.messagePinned(changed(in: .direct)))
    }

    @Test func `changes nothing the second time`() {
        Given(started(), sent, pinned).when(pin(by: ada)).thenNothing()
        Given(started(), sent).when(pin(by: ada, pins: false)).thenNothing()
        Given(started(), sent, pinned, unpinned).when(pin(by: ada)).then(pinned)
    }

    @Test func `ends with the message`() {
        Given(started(), sent).when(pin(by: ada, deleted: true)).thenRejected(.messageIsDeleted)
        // Deleted since it was looked up.
        Given(started(), sent, deleted).when(pin(by: ada)).thenRejected(.messageIsDeleted)
        Given(started(), sent, pinned, deleted).when(pin(by: ada, pins: false)).thenNothing()
    }

    @Test func `is of messages that one may see`() {
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: bender, role: .admin, headSeq: 1))
        Given(started(.group, .joined), sent, added).when(pin(by: bender, version: 3)).thenRejected(.messageNotFound)
        Given(started(), sent, added).when(pin(by: bender, version: 3)).then(pinned)
    }

    @Test func `has a limit, which deletions make room under`() {
        let others = (0..<ConversationDecider.maxPins).map { number in
            ConversationEvent.messagePinned(changed(person(100 + UInt8(number))))
        }
        let first = ConversationEvent.messageDeleted(MessageDeleted(messageID: person(100), seq: 1, sender: grace))
        var state = Conversation()
        for event in [started(), sent] + others { ConversationDecider.evolve(&state, event) }
        #expect(throws: ConversationRejection.tooManyPins(limit: ConversationDecider.maxPins)) {
            try ConversationDecider.decide(pin(by: ada), given: state)
        }
        ConversationDecider.evolve(&state, first)
        #expect(throws: Never.self) { try ConversationDecider.decide(pin(by: ada), given: state) }
    }
}
