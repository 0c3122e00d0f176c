import Foundation
import ParleyWire

/// A client in small: a snapshot, and what the events of the stream make of it.
///
/// It knows nothing but the contract. What the contract tells a client to fetch, it asks for in `pendingFetches`.
struct Reducer: Sendable {
    /// Something to fetch, because the events carry it not.
    enum Fetch: Hashable, Sendable {
        /// Earlier messages of a conversation that the caller was added to.
        case history(WireID)
        /// The members of a conversation that is too large to carry them.
        case participants(WireID)
    }

    let timelineLimit: Int
    var me: Me
    var conversations: [WireID: Conversation] = [:]
    /// Ascending, the newest `timelineLimit`.
    var timelines: [WireID: [Message]] = [:]
    var users: [WireID: UserSummary]
    var pendingFetches: Set<Fetch> = []
    /// Members by conversation, where they are known.
    var members: [WireID: [WireID: Participant]] = [:]
    /// Own messages whose receipts events cannot tell: too many recipients for maps, or a join in the same millisecond.
    var uncertainReceipts: Set<WireID> = []

    init(snapshot: SyncSnapshot, timelineLimit: Int) {
        self.timelineLimit = timelineLimit
        me = snapshot.me
        users = snapshot.users
        for entry in snapshot.conversations {
            take(entry.conversation)
            timelines[entry.conversation.id] = entry.timeline.items
            entry.timeline.items.forEach { noteSize(of: $0) }
        }
    }

    var totalUnread: Int { conversations.values.reduce(0) { $0 + $1.unreadCount } }

    mutating func apply(_ event: StreamEvent) {
        switch event {
        case .messageCreated(let created): apply(created)
        case .receiptUpdated(let updated): apply(updated)
        case .messageUpdated(let changed), .messageDeleted(let changed): apply(changed)
        case .reactionUpdated(let updated): apply(updated)
        case .conversationCreated(let created):
            let id = created.conversation.id
            if timelines[id] == nil {
                timelines[id] = []
                pendingFetches.insert(.history(id))
            }
            take(created.conversation)
        case .conversationUpdated(let updated): take(updated.conversation)
        case .conversationRemoved(let removed): forget(removed.conversationId)
        case .participantAdded(let change), .participantUpdated(let change):
            members[change.conversationId]?[change.participant.userId] = change.participant
            users[change.participant.userId] = UserSummary(change.participant)
            membersChanged(in: change.conversationId)
        case .participantRemoved(let change):
            members[change.conversationId]?[change.participant.userId] = nil
            membersChanged(in: change.conversationId)
        case .userUpdated(let updated): apply(updated.user)
        case .unreadUpdated(let unread):
            conversations[unread.conversationId]?.unreadCount = unread.unreadCount
            conversations[unread.conversationId]?.mentionCount = unread.mentionCount
            conversations[unread.conversationId]?.firstUnreadSeq = unread.firstUnreadSeq
        case .memberUpdated(let updated): conversations[updated.conversationId]?.me = updated.me
        // Nobody is blocked under load.
        case .blockUpdated: break
        case .hello, .ready, .typingUpdated, .presenceUpdated, .reset, .goAway, .ping, .unknown: break
        }
    }

    /// The answer of an own PATCH: the contract sends it to others.
    mutating func patched(_ me: Me) {
        self.me = me
        // Said once, of the change alone.
        self.me.warnings = nil
        renamed(me.id, UserSummary(displayName: me.displayName, photoURL: me.photoURL))
    }

    /// The newest messages of a conversation, fetched because of a want.
    mutating func fetched(_ page: HistoryPage, of conversation: WireID) {
        guard timelines[conversation] != nil else { return }
        insert(page.items, into: conversation)
        users.merge(page.users ?? [:]) { known, _ in known }
        recountReceipts(in: conversation)
    }

    /// All members of a conversation, fetched because of a want.
    mutating func fetched(_ participants: [Participant], of conversation: WireID) {
        guard conversations[conversation] != nil else { return }
        members[conversation] = Dictionary(participants.map { ($0.userId, $0) }) { _, new in new }
        for participant in participants { users[participant.userId] = UserSummary(participant) }
        membersChanged(in: conversation)
    }

    private mutating func apply(_ created: StreamEvent.MessageCreated) {
        let message = created.message
        users[message.senderId] = created.sender
        guard var conversation = conversations[created.conversationId] else { return }
        // What a history tells by itself changes nothing but the history.
        guard let seq = message.seq else { return append(message, to: created.conversationId) }
        if seq >= conversation.lastMessage?.seq ?? 0 {
            conversation.lastMessage = LastMessage(
                id: message.id,
                seq: seq,
                senderId: message.senderId,
                text: message.text,
                kind: message.kind,
                attachments: message.attachments.isEmpty ? nil : message.attachments.map(\.kind),
                timestamp: message.timestamp,
                deletedAt: message.deletedAt
            )
        }
        conversation.headSeq = max(conversation.headSeq, seq)
        conversation.updatedAt = max(conversation.updatedAt, message.timestamp)
        conversations[created.conversationId] = conversation
        insert(message, into: created.conversationId)
    }

    private mutating func apply(_ user: User) {
        if user.id == me.id {
            me.displayName = user.displayName
            me.photoURL = user.photoURL
        }
        if user.erased == true {
            forget(textsOf: user.id)
            forget(reactionsOf: user.id)
        }
        renamed(
            user.id,
            UserSummary(
                displayName: user.displayName,
                photoURL: user.photoURL,
                erased: user.erased,
                isBot: user.isBot
            )
        )
    }

    /// Nothing that an erased person said is shown any more, not even where others quoted it.
    private mutating func forget(textsOf person: WireID) {
        for id in timelines.keys {
            timelines[id] = timelines[id]?.map { message in
                var message = message
                if message.senderId == person { message.forgetContent() }
                if message.replyTo?.senderId == person { message.replyTo?.text = nil }
                return message
            }
        }
        for id in conversations.keys where conversations[id]?.lastMessage?.senderId == person {
            conversations[id]?.lastMessage?.text = nil
        }
    }

    private mutating func renamed(_ id: WireID, _ summary: UserSummary) {
        users[id] = summary
        for conversation in members.keys where members[conversation]?[id] != nil {
            members[conversation]?[id]?.displayName = summary.displayName
            members[conversation]?[id]?.photoURL = summary.photoURL
            members[conversation]?[id]?.erased = summary.erased
            membersChanged(in: conversation)
        }
    }

    /// Replaces a conversation: it comes whole.
    private mutating func take(_ conversation: Conversation) {
        conversations[conversation.id] = conversation
        conversations[conversation.id]?.users = nil
        if let participants = conversation.participants {
            fetched(participants, of: conversation.id)
        } else if members[conversation.id] == nil {
            pendingFetches.insert(.participants(conversation.id))
        }
    }

    private mutating func forget(_ conversation: WireID) {
        conversations[conversation] = nil
        timelines[conversation] = nil
        members[conversation] = nil
        pendingFetches.remove(.history(conversation))
        pendingFetches.remove(.participants(conversation))
    }
}

extension UserSummary {
    init(_ participant: Participant) {
        self.init(
            displayName: participant.displayName,
            photoURL: participant.photoURL,
            erased: participant.erased,
            isBot: participant.isBot
        )
    }
}
