import EventSourcing
import Foundation
import Messaging
import TestSupport
import Testing

/// What a member makes of the own view of a conversation.
@Suite struct `A view of a conversation` {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private var later: Date { now.addingTimeInterval(3_600) }

    private let started = ConversationEvent.started(
        ConversationStarted(
            kind: .group,
            members: [ada, grace, alan].map { .init(id: $0, role: $0 == ada ? .owner : .member) }
        )
    )

    private func sent(_ seq: Int64, by sender: UUID = ada) -> ConversationEvent {
        .messageSent(MessageSent(messageID: UUID(), sender: sender, seq: seq, text: nil, recipientCount: 2))
    }

    private func read(_ seq: Int64, by reader: UUID = grace) -> ConversationEvent {
        .receiptsAdvanced(ReceiptsAdvanced(marks: [.init(person: reader, deliveredSeq: seq, readSeq: seq)]))
    }

    private func markUnread(_ fromSeq: Int64, by person: UUID = grace) -> ConversationCommand {
        .markUnread(MarkUnread(person: person, fromSeq: fromSeq))
    }

    private func marked(_ readSeq: Int64) -> ConversationEvent {
        .markedUnread(MarkedUnread(person: grace, readSeq: readSeq))
    }

    @Test func `is muted, filtered, archived and pinned at once`() {
        Given<ConversationDecider>(started, sent(1)).when(
            .changeView(
                ChangeView(
                    person: grace,
                    mutedUntil: .set(later),
                    notificationLevel: .mentions,
                    archived: true,
                    pinned: true,
                    now: now
                )
            )
        ).then(
            .viewChanged(
                ViewChanged(
                    person: grace,
                    mutedUntil: .set(later),
                    notificationLevel: .mentions,
                    archivedSeq: .set(1),
                    pinnedAt: .set(now)
                )
            )
        )
    }

    @Test func `that is so already does not change`() {
        let change = ChangeView(person: grace, notificationLevel: .all, archived: false, pinned: false, now: now)
        Given<ConversationDecider>(started).when(.changeView(change)).thenNothing()
        let pinned = ViewChanged(person: grace, pinnedAt: .set(now))
        Given<ConversationDecider>(started, .viewChanged(pinned))
            .when(.changeView(ChangeView(person: grace, pinned: true, now: later))).thenNothing()
    }

    @Test func `is muted until then, and no longer by a time that is over`() {
        let muted = ConversationEvent.viewChanged(ViewChanged(person: grace, mutedUntil: .set(later)))
        Given<ConversationDecider>(started, muted)
            .when(.changeView(ChangeView(person: grace, mutedUntil: .set(now), now: now)))
            .then(.viewChanged(ViewChanged(person: grace, mutedUntil: .cleared)))
    }

    @Test func `stays in the archive when a muting ends that kept it there`() {
        let archived = ViewChanged(person: grace, mutedUntil: .set(later), archivedSeq: .set(1))
        Given<ConversationDecider>(started, sent(1), .viewChanged(archived), sent(2))
            .when(.changeView(ChangeView(person: grace, mutedUntil: .cleared, now: now)))
            .then(.viewChanged(ViewChanged(person: grace, mutedUntil: .cleared, archivedSeq: .set(2))))
    }

    @Test func `stays in the archive by a muting that is over, as its newest message came before the end`() {
        let archived = ViewChanged(person: grace, mutedUntil: .set(now), archivedSeq: .set(1))
        let given = Given<ConversationDecider>(started, sent(1), .viewChanged(archived), sent(2))
        func mute(after seq: Int64, at time: Date) -> ConversationCommand {
            let newest = ChangeView.NewestMessage(seq: seq, at: time)
            return .changeView(ChangeView(person: grace, mutedUntil: .set(later), now: now, newest: newest))
        }
        given.when(mute(after: 2, at: now.addingTimeInterval(-1)))
            .then(.viewChanged(ViewChanged(person: grace, mutedUntil: .set(later), archivedSeq: .set(2))))
        given.when(mute(after: 2, at: now))
            .then(.viewChanged(ViewChanged(person: grace, mutedUntil: .set(later), archivedSeq: .cleared)))
        // The state knows no times, and what was seen is of another message.
        given.when(.changeView(ChangeView(person: grace, mutedUntil: .set(later), now: now))).thenRejected(.staleFacts)
        given.when(mute(after: 1, at: now)).thenRejected(.staleFacts)
    }

    @Test func `does not go back into the archive by a muting that comes later`() {
        let archived = ViewChanged(person: grace, archivedSeq: .set(1))
        Given<ConversationDecider>(started, sent(1), .viewChanged(archived), sent(2))
            .when(.changeView(ChangeView(person: grace, mutedUntil: .set(later), now: now)))
            .then(.viewChanged(ViewChanged(person: grace, mutedUntil: .set(later), archivedSeq: .cleared)))
    }

    @Test func `is cleared from the list, out of the archive and unpinned`() {
        let before = ViewChanged(person: grace, archivedSeq: .set(1), pinnedAt: .set(now))
        Given<ConversationDecider>(started, sent(1), .viewChanged(before))
            .when(.changeView(ChangeView(person: grace, clears: true, now: now)))
            .then(
                .viewChanged(
                    ViewChanged(person: grace, archivedSeq: .cleared, pinnedAt: .cleared, clearedSeq: 1)
                )
            )
    }

    @Test func `is a member's alone`() {
        for command in [
            ConversationCommand.changeView(ChangeView(person: bender, archived: true, now: now)),
            markUnread(1, by: bender),
        ] {
            Given<ConversationDecider>(started, sent(1)).when(command).thenRejected(.notFound)
            let added = ParticipantAdded(person: bender, role: .member, headSeq: 1)
            let removed = ParticipantRemoved(person: bender, headSeq: 1)
            Given<ConversationDecider>(started, sent(1), .participantAdded(added), .participantRemoved(removed))
                .when(command).thenRejected(.noLongerAMember)
        }
    }

    @Test func `ends with the membership and with the person`() throws {
        let changed = ConversationEvent.viewChanged(ViewChanged(person: grace, pinnedAt: .set(now)))
        let removed = ConversationEvent.participantRemoved(ParticipantRemoved(person: grace, headSeq: 0))
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: grace, role: .member, headSeq: 0))
        let rejoined = state(started, changed, removed, added)
        #expect(try #require(rejoined.members[grace]).view == nil)
        let erased = state(started, changed, .memberErased(MemberErased(person: grace, headSeq: 0)))
        #expect(erased.members[grace]?.view == nil)
        // One that another process has let in late finds nobody.
        #expect(state(started, removed, changed).members[grace] == nil)
    }

    // MARK: Hidden messages

    @Test func `hides a message from its member alone, and is the same otherwise`() {
        let hide = HideMessage(person: grace, messageID: ada, seq: 1)
        let hidden = ConversationEvent.messageHidden(MessageHidden(person: grace, messageID: ada, seq: 1))
        Given<ConversationDecider>(started, sent(1)).when(.hideMessage(hide)).then(hidden)
        #expect(state(started, sent(1), hidden) == state(started, sent(1)))
        Given<ConversationDecider>(started).when(.hideMessage(hide)).thenRejected(.messageNotFound)
        let other = HideMessage(person: bender, messageID: ada, seq: 1)
        Given<ConversationDecider>(started, sent(1)).when(.hideMessage(other)).thenRejected(.notFound)
    }

    // MARK: Unread

    @Test func `becomes unread from a message on, and others see no mark go back`() throws {
        Given<ConversationDecider>(started, sent(1), sent(2), sent(3), read(3)).when(markUnread(2)).then(marked(1))
        let conversation = state(started, sent(1), sent(2), sent(3), read(3), marked(1))
        let member = try #require(conversation.members[grace])
        #expect((member.readSeq, member.publicReadSeq, member.deliveredSeq) == (1, 3, 3))
        // Which are the own ones among them, the log must tell.
        #expect(conversation.unreadCount(of: member) == nil)
    }

    @Test func `shows others the same mark while it is read once more`() {
        let advance = ReceiptAdvance(person: grace, deliveredSeq: nil, readSeq: 2)
        let again = ReceiptsAdvanced(marks: [.init(person: grace, deliveredSeq: 3, readSeq: 2, publicReadSeq: 3)])
        Given<ConversationDecider>(started, sent(1), sent(2), sent(3), read(3), marked(0))
            .when(.advanceReceipts([advance])).then(.receiptsAdvanced(again))
    }

    @Test func `is marked unread until something is read`() throws {
        let unread = state(started, sent(1), read(1), marked(0))
        #expect(unread.members[grace]?.view?.unreadAfter == 0)
        #expect(state(started, sent(1), read(1), marked(0), read(1)).members[grace]?.view == nil)
        // Marked once more, it stays what it is.
        Given<ConversationDecider>(started, sent(1), read(1), marked(0)).when(markUnread(1)).thenNothing()
        // It is so until the mark moves forward from where it stood, be it before what was named.
        Given<ConversationDecider>(started, sent(1), sent(2), sent(3), read(1)).when(markUnread(3)).then(marked(1))
        // Never read, it is marked all the same.
        Given<ConversationDecider>(started, sent(1)).when(markUnread(1)).then(marked(0))
    }

    @Test func `becomes unread among the messages since the joining`() {
        Given<ConversationDecider>(started).when(markUnread(1)).thenRejected(.notToBeUnread)
        Given<ConversationDecider>(started, sent(1)).when(markUnread(2)).thenRejected(.notToBeUnread)
        let rejoined: [ConversationEvent] = [
            started, sent(1), .participantRemoved(ParticipantRemoved(person: grace, headSeq: 1)),
            .participantAdded(ParticipantAdded(person: grace, role: .member, headSeq: 1)), sent(2),
        ]
        Given<ConversationDecider>(rejoined).when(markUnread(1)).thenRejected(.notToBeUnread)
        Given<ConversationDecider>(rejoined).when(markUnread(2)).then(marked(1))
    }

    @Test func `becomes unread among the newest messages only`() {
        let head = ConversationDecider.maxMarkedUnread + 5
        Given<ConversationDecider>(started, sent(head)).when(markUnread(5)).thenRejected(.notToBeUnread)
        Given<ConversationDecider>(started, sent(head)).when(markUnread(6)).then(marked(0))
    }

    private func state(_ events: ConversationEvent...) -> Conversation {
        events.reduce(into: ConversationDecider.initialState) { ConversationDecider.evolve(&$0, $1) }
    }
}
