import Foundation
import Messaging
import TestSupport
import Testing

/// One of two people blocks the other.
@Suite struct `A block` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let started = ConversationEvent.started(
        ConversationStarted(kind: .direct, members: [ada, grace].map { .init(id: $0, role: .member) })
    )
    private let blocked = ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: grace, isBlocked: true))
    private let takenBack = ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: grace, isBlocked: false))

    private func block(_ isBlocked: Bool = true) -> ConversationCommand {
        .block(Block(person: ada, blocked: grace, isBlocked: isBlocked))
    }

    private func send(by sender: UUID) -> ConversationCommand {
        .send(
            SendMessage(
                messageID: person(50),
                sender: sender,
                text: "Hi",
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil
            )
        )
    }

    private func facts(by sender: UUID) -> MessageFacts {
        MessageFacts(id: person(50), seq: 1, sender: sender, sentAt: now, version: 3)
    }

    @Test func `is noted once, and taken back once, whether the two have ever talked or not`() {
        for before in [[], [started]] {
            Given<ConversationDecider>(before).when(block()).then(blocked)
            Given<ConversationDecider>(before + [blocked]).when(block()).thenNothing()
            Given<ConversationDecider>(before + [blocked]).when(block(false)).then(takenBack)
            Given<ConversationDecider>(before).when(block(false)).thenNothing()
            Given<ConversationDecider>(before + [blocked, takenBack]).when(block(false)).thenNothing()
        }
    }

    @Test func `is of two people`() {
        Given<ConversationDecider>().when(.block(Block(person: ada, blocked: ada, isBlocked: true)))
            .thenRejected(.withOneself)
    }

    @Test func `lets neither write to the other, and tells only who has blocked why`() {
        Given<ConversationDecider>(started, blocked).when(send(by: ada)).thenRejected(.otherIsBlocked)
        Given<ConversationDecider>(started, blocked).when(send(by: grace)).thenRejected(.otherIsOutOfReach)
        let sent = MessageSent(messageID: person(50), sender: grace, seq: 1, text: "Hi", recipientCount: 1)
        Given<ConversationDecider>(started, blocked, takenBack).when(send(by: grace)).then(.messageSent(sent))
    }

    @Test func `lets neither put anything new into what was said before`() throws {
        let sent = MessageSent(messageID: person(50), sender: grace, seq: 1, text: "Hi", recipientCount: 1)
        let emoji = try #require(Emoji("\u{1F44D}"))
        let before = Given<ConversationDecider>(started, .messageSent(sent), blocked)
        let edit = EditMessage(message: facts(by: grace), editor: grace, text: "Hey", now: now, window: 60)
        before.when(.editMessage(edit)).thenRejected(.otherIsOutOfReach)
        for (person, rejection) in [(ada, ConversationRejection.otherIsBlocked), (grace, .otherIsOutOfReach)] {
            let react = React(message: facts(by: grace), person: person, emoji: emoji, isAdded: true)
            before.when(.react(react)).thenRejected(rejection)
            before.when(.pin(PinMessage(message: facts(by: grace), actor: person, isPinned: true)))
                .thenRejected(rejection)
        }
        let deleted = MessageDeleted(messageID: person(50), seq: 1, sender: grace)
        before.when(.deleteMessage(DeleteMessage(message: facts(by: grace), actor: grace)))
            .then(.messageDeleted(deleted))
    }

    @Test func `lets nobody start the conversation, as if there were nobody to talk to`() {
        Given<ConversationDecider>(blocked).when(.startDirect(StartDirect(starter: ada, other: grace)))
            .thenRejected(.otherIsBlocked)
        Given<ConversationDecider>(blocked).when(.startDirect(StartDirect(starter: grace, other: ada)))
            .thenRejected(.notFound)
        // What is there is found.
        Given<ConversationDecider>(started, blocked).when(.startDirect(StartDirect(starter: grace, other: ada)))
            .thenNothing()
        let members = [grace, ada].map { ConversationStarted.Member(id: $0, role: .member) }
        Given<ConversationDecider>(blocked, takenBack).when(.startDirect(StartDirect(starter: grace, other: ada)))
            .then(.started(ConversationStarted(kind: .direct, members: members)))
    }

    @Test func `goes with who has blocked`() {
        let erased = MemberErased(person: ada, headSeq: 0)
        Given<ConversationDecider>(blocked).when(.eraseMember(ada)).then(.memberErased(erased))
        Given<ConversationDecider>(blocked, .memberErased(erased)).when(.eraseMember(ada)).thenNothing()
        Given<ConversationDecider>(blocked).when(.eraseMember(grace)).thenNothing()
    }
}
