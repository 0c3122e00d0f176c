import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

private let sentAt = Date(timeIntervalSince1970: 1_000)
private let message = person(60)

private func emoji(_ text: String) -> Emoji {
    guard let emoji = Emoji(text) else { preconditionFailure("\(text) is an emoji") }
    return emoji
}

private let thumb = emoji("\u{1F44D}")
private let heart = emoji("\u{2764}")

private func group(_ visibility: HistoryVisibility = .all) -> ConversationEvent {
    .started(
        ConversationStarted(
            kind: .group,
            members: [.init(id: ada, role: .owner), .init(id: grace, role: .member), .init(id: alan, role: .admin)],
            historyVisibility: visibility,
            name: "Friends"
        )
    )
}

private let sent = ConversationEvent.messageSent(
    MessageSent(messageID: message, sender: grace, seq: 1, text: "one", recipientCount: 2)
)

/// What the log says of the message, right after it was sent unless told otherwise.
private func facts(
    deleted: Bool = false,
    reactions: [Emoji: Int] = [:],
    hasReacted: Bool = false,
    version: Int64 = 2
) -> MessageFacts {
    MessageFacts(
        id: message,
        seq: 1,
        sender: grace,
        sentAt: sentAt,
        isDeleted: deleted,
        reactions: reactions,
        hasReacted: hasReacted,
        version: version
    )
}

private func edit(
    _ facts: MessageFacts = facts(),
    by editor: UUID,
    after seconds: TimeInterval = 60
)
    -> ConversationCommand
{
    .editMessage(
        EditMessage(
            message: facts,
            editor: editor,
            text: "two",
            now: sentAt.addingTimeInterval(seconds),
            window: 900
        )
    )
}

private func delete(_ facts: MessageFacts = facts(), by actor: UUID) -> ConversationCommand {
    .deleteMessage(DeleteMessage(message: facts, actor: actor))
}

private func react(
    _ emoji: Emoji,
    _ facts: MessageFacts = facts(),
    by person: UUID,
    adds: Bool = true
) -> ConversationCommand {
    .react(React(message: facts, person: person, emoji: emoji, isAdded: adds))
}

private func changed(_ emoji: Emoji, _ person: UUID, _ counts: [Emoji: Int]) -> ReactionChanged {
    ReactionChanged(messageID: message, seq: 1, person: person, emoji: emoji, counts: counts)
}

private let edited = ConversationEvent.messageEdited(MessageEdited(messageID: message, seq: 1, text: "two"))
private let deleted = ConversationEvent.messageDeleted(MessageDeleted(messageID: message, seq: 1, sender: grace))

private typealias Given = TestSupport.Given<ConversationDecider>

@Suite struct `Editing a message` {
    @Test func `gives it another text`() { Given(group(), sent).when(edit(by: grace)).then(edited) }

    @Test(arguments: [ada, alan]) func `is its author's business alone`(_ other: UUID) {
        Given(group(), sent).when(edit(by: other)).thenRejected(.notTheAuthor)
    }

    @Test func `to what it says already changes nothing, be its time over or not`() {
        var same = facts()
        same.text = "two"
        for seconds in [60, 901.0] { Given(group(), sent).when(edit(same, by: grace, after: seconds)).thenNothing() }
        Given(group(), sent).when(edit(same, by: ada)).thenRejected(.notTheAuthor)
        Given(group(), sent, deleted).when(edit(same, by: grace)).thenRejected(.messageIsDeleted)
        same.text = "Two"
        Given(group(), sent).when(edit(same, by: grace)).then(edited)
    }

    @Test func `ends with its time`() {
        Given(group(), sent).when(edit(by: grace, after: 900)).then(edited)
        Given(group(), sent).when(edit(by: grace, after: 900.001)).thenRejected(.editedTooLate)
    }

    @Test func `ends with the message`() {
        Given(group(), sent).when(edit(facts(deleted: true), by: grace)).thenRejected(.messageIsDeleted)
        // Deleted since it was looked up.
        Given(group(), sent, deleted).when(edit(by: grace)).thenRejected(.messageIsDeleted)
    }

    @Test func `ends with the membership`() {
        let left = ConversationEvent.participantRemoved(ParticipantRemoved(person: grace, headSeq: 1))
        Given(group(), sent, left).when(edit(by: grace)).thenRejected(.noLongerAMember)
        Given(group(), sent).when(edit(by: bender)).thenRejected(.notFound)
    }
}

@Suite struct `Deleting a message for everyone` {
    @Test(arguments: [grace, ada, alan]) func `is for its author, the owner and admins`(_ actor: UUID) {
        Given(group(), sent).when(delete(by: actor)).then(deleted)
    }

    @Test func `of somebody else is not for members`() {
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: bender, role: .member, headSeq: 0))
        Given(group(), added, sent).when(delete(facts(version: 3), by: bender)).thenRejected(.roleTooLow)
    }

    @Test func `of the other is not for anybody in a direct conversation`() {
        let direct = ConversationEvent.started(
            ConversationStarted(
                kind: .direct,
                members: [.init(id: ada, role: .member), .init(id: grace, role: .member)]
            )
        )
        Given(direct, sent).when(delete(by: ada)).thenRejected(.notTheAuthor)
        Given(direct, sent).when(delete(by: grace)).then(deleted)
    }

    @Test func `twice changes nothing`() {
        Given(group(), sent, deleted).when(delete(by: ada)).thenNothing()
        Given(group(), sent).when(delete(facts(deleted: true), by: ada)).thenNothing()
    }
}

@Suite struct `Reacting to a message` {
    @Test func `counts who has given what`() {
        Given(group(), sent).when(react(thumb, by: ada)).then(.reactionAdded(changed(thumb, ada, [thumb: 1])))
        Given(group(), sent).when(react(thumb, facts(reactions: [thumb: 1, heart: 3]), by: ada))
            .then(.reactionAdded(changed(thumb, ada, [thumb: 2, heart: 3])))
        Given(group(), sent)
            .when(react(thumb, facts(reactions: [thumb: 1, heart: 3], hasReacted: true), by: ada, adds: false))
            .then(.reactionRemoved(changed(thumb, ada, [heart: 3])))
    }

    @Test func `twice, or taking back what is not given, changes nothing`() {
        Given(group(), sent).when(react(thumb, facts(hasReacted: true), by: ada)).thenNothing()
        Given(group(), sent).when(react(thumb, by: ada, adds: false)).thenNothing()
    }

    @Test func `takes in what has happened since the message was looked up`() {
        let before = ConversationEvent.reactionAdded(changed(thumb, grace, [thumb: 1]))
        let own = ConversationEvent.reactionAdded(changed(thumb, ada, [thumb: 2]))
        Given(group(), sent, before).when(react(thumb, by: ada)).then(own)
        Given(group(), sent, before, own).when(react(thumb, by: ada)).thenNothing()
        Given(group(), sent, before, own).when(react(thumb, by: ada, adds: false))
            .then(.reactionRemoved(changed(thumb, ada, [thumb: 1])))
        Given(group(), sent, deleted).when(react(thumb, by: ada)).thenRejected(.messageIsDeleted)
    }

    @Test func `is looked up again where too much has happened since`() {
        let flood = (0..<257).map { _ in ConversationEvent.reactionAdded(changed(thumb, grace, [thumb: 1])) }
        Given([group(), sent] + flood).when(react(heart, by: ada)).thenRejected(.staleFacts)
        let recent = facts(reactions: [thumb: 1], version: 259)
        Given([group(), sent] + flood).when(react(heart, recent, by: ada))
            .then(.reactionAdded(changed(heart, ada, [thumb: 1, heart: 1])))
    }

    @Test func `knows at most twenty kinds`() {
        let kinds = (0..<20).map { emoji(String(flag($0))) }
        let full = facts(reactions: Dictionary(uniqueKeysWithValues: kinds.map { ($0, 1) }))
        Given(group(), sent).when(react(thumb, full, by: ada)).thenRejected(.tooManyReactionKinds)
        Given(group(), sent).when(react(kinds[3], full, by: ada))
            .then(.reactionAdded(changed(kinds[3], ada, full.reactions.merging([kinds[3]: 2]) { $1 })))
    }

    @Test func `is for those who may see the message`() {
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: bender, role: .member, headSeq: 1))
        Given(group(.joined), sent, added).when(react(thumb, facts(version: 3), by: bender))
            .thenRejected(.messageNotFound)
        Given(group(.all), sent, added).when(react(thumb, facts(version: 3), by: bender))
            .then(.reactionAdded(changed(thumb, bender, [thumb: 1])))
        Given(group(), sent).when(react(thumb, by: bender)).thenRejected(.notFound)
    }

    private func flag(_ number: Int) -> Character {
        var text = String.UnicodeScalarView()
        text.append("\u{1F1E6}")
        text.append(Unicode.Scalar(0x1F1E6 + UInt32(number)) ?? "\u{1F1E6}")
        return Character(String(text))
    }
}
