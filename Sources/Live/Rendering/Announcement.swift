import EventSourcing
import Foundation
import Messaging
import ParleyWire
import ReadModels

/// What an event of the log announces, and to whom, as far as the event itself says: a new kind of event is added here.
///
/// Those who are there when it happens and those who come back later are told of the same announcement. What it takes to
/// tell it is read as ``Facts``; what each of those concerned is told then is said in `Announcement+Rendering.swift`.
struct Announcement: Sendable {
    enum News: Sendable {
        case conversationCreated
        case conversationUpdated
        case conversationRemoved
        case participantAdded(UUID)
        case participantUpdated(UUID)
        case participantRemoved(UUID)
        case messageCreated(MessageSent, at: Date)
        case receiptsUpdated(ReceiptsAdvanced, at: Date)
        /// A message, by its `seq`, says something else.
        case messageUpdated(Int64)
        case messageDeleted(Int64)
        /// For the one who has deleted it for oneself.
        case messageHidden(Int64)
        case reactionsUpdated(to: Int64)
        case userUpdated(UUID)
        /// A member's own view, for that member.
        case viewUpdated(UUID)
        /// Whom a person blocks, for that person.
        case blockUpdated(BlockChanged, at: Date)
    }

    let partition: Int
    let position: Int64
    /// The conversation that it is about; nil where it is about a person.
    let conversation: UUID?
    /// What those concerned are told.
    let news: News
    /// The person who is told something else, and what.
    var own: (person: UUID, news: News)?
    /// Whom it concerns who is a member before or after its own step; where facts narrow that down,
    /// ``audience(given:)`` has the rest.
    private(set) var audience: Audience
    var membership: MembershipStep?
    var unread = UnreadStep.none
    var clearing: ClearingStep?
    /// The person whom it tells to be erased.
    var erased: UUID?
    /// The message by which the history of the conversation tells of it; nil where it does not.
    private(set) var systemMessage: UUID?

    /// nil for what nobody is told of.
    init?(of record: RecordedEvent) {
        switch record.body {
        case .event(let event as ConversationEvent): self.init(event, record)
        case .event(let event as UserEvent): self.init(event, record)
        case .event, .undecodable, .unknown: return nil
        }
    }

    /// A profile that has changed, whatever the events were.
    init(_ change: PersonChange) {
        self.init(change.user.id.uuid, change.partition, change.position)
    }

    private init(_ event: UserEvent, _ record: RecordedEvent) {
        self.init(record.stream.id, record.partition, record.position)
        switch event {
        case .registered, .profileChanged, .deactivated, .reactivated: break
        case .erased: erased = record.stream.id
        }
    }

    private init(_ person: UUID, _ partition: Int, _ position: Int64) {
        self.partition = partition
        self.position = position
        conversation = nil
        news = .userUpdated(person)
        audience = .contacts(of: person, in: [])
    }

    private init?(_ event: ConversationEvent, _ record: RecordedEvent) {
        let id = record.stream.id
        partition = record.partition
        position = record.position
        conversation = id
        audience = .members(of: id)
        systemMessage = SystemMessage(event, record)?.id
        switch event {
        case .started(let started):
            let people = started.members.map(\.id)
            audience = .people(Set(people))
            membership = .joined(conversation: id, people: people)
            news = .conversationCreated
        case .participantAdded(let added):
            membership = .joined(conversation: id, people: [added.person], headSeq: added.headSeq)
            news = .participantAdded(added.person)
            own = (added.person, .conversationCreated)
        case .participantRemoved(let removed):
            membership = .left(conversation: id, person: removed.person)
            unread = .people([removed.person], of: id)
            news = .participantRemoved(removed.person)
            own = (removed.person, .conversationRemoved)
        case .roleChanged(let changed):
            // The others learn the new role, the person what it means for the own view of the conversation.
            news = .participantUpdated(changed.person)
            own = (changed.person, .conversationUpdated)
        case .groupChanged, .permissionsChanged, .retentionChanged, .slowModeChanged:
            news = .conversationUpdated
        case .messageSent(let sent):
            unread = .membersWithout(sent.sender, of: id)
            clearing = .said(in: id, by: sent.sender)
            news = .messageCreated(sent, at: record.recordedAt)
        case .receiptsAdvanced(let advanced):
            unread = .people(advanced.marks.map(\.person), of: id)
            news = .receiptsUpdated(advanced, at: record.recordedAt)
        case .memberErased(let gone):
            // All members learn once more, now in the order of this conversation, that the person is erased, and what
            // the conversation looks like without the person's words.
            erased = gone.person
            news = .conversationUpdated
        case .viewChanged(let changed):
            if changed.clearedSeq != nil { clearing = .cleared(id, by: changed.person) }
            audience = .someMembers([changed.person], of: id)
            unread = .people([changed.person], of: id)
            news = .viewUpdated(changed.person)
        case .markedUnread(let marked):
            audience = .someMembers([marked.person], of: id)
            unread = .people([marked.person], of: id)
            news = .viewUpdated(marked.person)
        case .messageHidden(let hidden):
            audience = .someMembers([hidden.person], of: id)
            news = .messageHidden(hidden.seq)
        case .inviteCreated, .inviteUsed, .invitesEnded:
            // Who has come in by one is told by that event, and invites are asked for.
            return nil
        case .blockChanged(let changed):
            // Who is blocked is told nothing.
            audience = .people([changed.person])
            news = .blockUpdated(changed, at: record.recordedAt)
        case .messageEdited(let edited):
            news = .messageUpdated(edited.seq)
        case .messagePinned(let changed), .messageUnpinned(let changed):
            news = .messageUpdated(changed.seq)
        case .messageDeleted(let deleted):
            unread = .membersWithout(deleted.sender, of: id)
            news = .messageDeleted(deleted.seq)
        case .reactionAdded(let reaction), .reactionRemoved(let reaction):
            news = .reactionsUpdated(to: reaction.seq)
        }
    }

    /// Whether anything that the conversation shows may have changed by it.
    var touchesConversation: Bool {
        if case .blockUpdated = news { false } else { true }
    }

    /// Whether some of those whom it concerns are told of it by their own views of the conversation.
    var showsViews: Bool {
        news.showsViews || own?.news.showsViews == true
    }

    /// Whether what all are told alike is read as it is by then, which may be later than the event.
    var isReadAsOfNow: Bool {
        switch news {
        case .participantAdded, .participantUpdated, .participantRemoved, .messageUpdated, .messageDeleted,
            .messageHidden, .reactionsUpdated:
            true
        case .messageCreated(let sent, _): sent.replyTo != nil
        case .conversationCreated, .conversationUpdated, .conversationRemoved, .receiptsUpdated, .userUpdated,
            .viewUpdated, .blockUpdated:
            false
        }
    }

    func news(for viewer: UUID) -> News {
        if let own, own.person == viewer { own.news } else { news }
    }
}

extension Announcement.News {
    fileprivate var showsViews: Bool {
        switch self {
        case .conversationCreated, .conversationUpdated, .viewUpdated: true
        case .conversationRemoved, .participantAdded, .participantUpdated, .participantRemoved, .messageCreated,
            .receiptsUpdated, .messageUpdated, .messageDeleted, .messageHidden, .reactionsUpdated, .userUpdated,
            .blockUpdated:
            false
        }
    }
}
