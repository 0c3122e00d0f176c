import Foundation
import ParleyWire

/// A client in small: a snapshot, and what the events make of it. It knows nothing but the contract.
struct ReferenceReducer {
    struct Room {
        var conversation: Conversation
        var messages: [Int64: Message] = [:]
        var systemMessages: [WireID: Message] = [:]
        /// How far the others have received, as far as one is told.
        var delivered: [WireID: Int64] = [:]
        /// How far the others have read, as far as one is told.
        var read: [WireID: Int64] = [:]
    }

    private(set) var rooms: [WireID: Room] = [:]
    private(set) var users: [WireID: UserSummary]
    /// Who is blocked, and since when, as far as events have said.
    private(set) var blocked: [WireID: Date] = [:]
    let me: WireID

    init(_ snapshot: SyncSnapshot) {
        me = snapshot.me.id
        users = snapshot.users
        for entry in snapshot.conversations {
            var room = Room(conversation: entry.conversation)
            for message in entry.timeline.items { room.take(message) }
            rooms[entry.conversation.id] = room
        }
    }

    mutating func apply(_ event: StreamEvent) {
        switch event {
        case .messageCreated(let created): apply(created)
        case .messageUpdated(let changed), .messageDeleted(let changed): apply(changed)
        case .reactionUpdated(let updated):
            change(updated.messageId, in: updated.conversationId) { message in
                guard updated.revision >= message.revision else { return }
                message.reactions = updated.reactions
                message.revision = updated.revision
            }
        case .receiptUpdated(let updated): apply(updated)
        case .conversationCreated(let changed), .conversationUpdated(let changed):
            let id = changed.conversation.id
            var room = rooms[id] ?? Room(conversation: changed.conversation)
            if room.conversation.historyVisibility != changed.conversation.historyVisibility { room.forgetHistory() }
            room.conversation = changed.conversation
            rooms[id] = room
            for participant in changed.conversation.participants ?? [] { name(participant) }
        case .conversationRemoved(let removed): rooms[removed.conversationId] = nil
        case .participantAdded(let change), .participantUpdated(let change):
            name(change.participant)
            changePeople(change.conversationId) { people in
                people.removeAll { $0.userId == change.participant.userId }
                people.append(change.participant)
            }
        case .participantRemoved(let change):
            changePeople(change.conversationId) { people in
                people.removeAll { $0.userId == change.participant.userId }
            }
        case .userUpdated(let updated): apply(updated.user)
        case .unreadUpdated(let unread):
            rooms[unread.conversationId]?.conversation.unreadCount = unread.unreadCount
            rooms[unread.conversationId]?.conversation.mentionCount = unread.mentionCount
            rooms[unread.conversationId]?.conversation.firstUnreadSeq = unread.firstUnreadSeq
        case .memberUpdated(let updated): rooms[updated.conversationId]?.conversation.me = updated.me
        case .blockUpdated(let updated): blocked[updated.userId] = updated.blockedAt
        case .hello, .ready, .typingUpdated, .presenceUpdated, .reset, .goAway, .ping, .unknown: break
        }
    }

    private mutating func apply(_ created: StreamEvent.MessageCreated) {
        guard var room = rooms[created.conversationId] else { return }
        users[created.message.senderId] = created.sender
        room.take(created.message)
        guard let seq = created.message.seq else {
            // What a history tells by itself changes nothing but the history.
            rooms[created.conversationId] = room
            return
        }
        if seq >= room.conversation.headSeq {
            if seq > room.conversation.headSeq {
                let isMuted = room.conversation.me.mutedUntil.map { $0 > created.message.timestamp } ?? false
                if !isMuted { room.conversation.me.archived = false }
                room.conversation.me.cleared = false
            }
            room.conversation.headSeq = seq
            room.conversation.updatedAt = max(room.conversation.updatedAt, created.message.timestamp)
            room.conversation.lastMessage = LastMessage(
                id: created.message.id,
                seq: seq,
                senderId: created.message.senderId,
                text: created.message.text,
                attachments: created.message.attachments.isEmpty ? nil : created.message.attachments.map(\.kind),
                timestamp: created.message.timestamp,
                deletedAt: created.message.deletedAt
            )
        }
        rooms[created.conversationId] = room
    }

    private mutating func apply(_ changed: StreamEvent.MessageChanged) {
        let (id, new) = (changed.conversationId, changed.message)
        change(new.id, in: id) { if new.revision >= $0.revision { $0 = new } }
        for seq in rooms[id]?.messages.keys ?? [:].keys where rooms[id]?.messages[seq]?.replyTo?.id == new.id {
            rooms[id]?.messages[seq]?.replyTo?.text = new.text
            rooms[id]?.messages[seq]?.replyTo?.attachments = new.attachments.isEmpty ? nil : new.attachments.map(\.kind)
        }
        if rooms[id]?.conversation.lastMessage?.id == new.id {
            rooms[id]?.conversation.lastMessage?.text = new.text
            rooms[id]?.conversation.lastMessage?.attachments =
                new.attachments.isEmpty ? nil : new.attachments.map(\.kind)
            rooms[id]?.conversation.lastMessage?.deletedAt = new.deletedAt
        }
    }

    private mutating func change(_ message: WireID, in room: WireID, _ body: (inout Message) -> Void) {
        guard let seq = rooms[room]?.messages.first(where: { $0.value.id == message })?.key,
            var message = rooms[room]?.messages[seq]
        else { return }
        body(&message)
        rooms[room]?.messages[seq] = message
    }

    private mutating func apply(_ updated: StreamEvent.ReceiptUpdated) {
        guard var room = rooms[updated.conversationId] else { return }
        for mark in updated.receipts {
            if mark.userId == me {
                let own = room.conversation.me
                room.conversation.me.deliveredSeq = max(own.deliveredSeq, mark.deliveredSeq)
                room.conversation.me.readSeq = max(own.readSeq, mark.readSeq)
                if mark.readSeq > own.readSeq { room.conversation.me.markedUnread = false }
            } else {
                room.delivered[mark.userId] = max(room.delivered[mark.userId] ?? 0, mark.deliveredSeq)
                room.read[mark.userId] = max(room.read[mark.userId] ?? 0, mark.readSeq)
            }
        }
        rooms[updated.conversationId] = room
    }

    private mutating func apply(_ user: User) {
        users[user.id] = UserSummary(
            displayName: user.displayName,
            photoURL: user.photoURL,
            erased: user.erased,
            isBot: user.isBot
        )
        if user.erased == true { forget(textsOf: user.id) }
        for id in rooms.keys {
            changePeople(id) { people in
                for place in people.indices where people[place].userId == user.id {
                    people[place].displayName = user.displayName
                    people[place].photoURL = user.photoURL
                    people[place].erased = user.erased
                }
            }
        }
    }

    private mutating func forget(textsOf person: WireID) {
        for id in rooms.keys {
            for message in rooms[id]?.systemMessages.values ?? [:].values where message.senderId == person {
                rooms[id]?.systemMessages[message.id]?.forgetContent()
            }
            for seq in rooms[id]?.messages.keys ?? [:].keys {
                if rooms[id]?.messages[seq]?.senderId == person {
                    rooms[id]?.messages[seq]?.text = nil
                    rooms[id]?.messages[seq]?.attachments = []
                }
                rooms[id]?.messages[seq]?.forget(reactionsOf: person)
                if rooms[id]?.messages[seq]?.replyTo?.senderId == person {
                    rooms[id]?.messages[seq]?.replyTo?.text = nil
                    rooms[id]?.messages[seq]?.replyTo?.attachments = nil
                }
            }
            if rooms[id]?.conversation.lastMessage?.senderId == person {
                rooms[id]?.conversation.lastMessage?.text = nil
                rooms[id]?.conversation.lastMessage?.attachments = nil
            }
        }
    }

    private mutating func name(_ participant: Participant) {
        users[participant.userId] = UserSummary(
            displayName: participant.displayName,
            photoURL: participant.photoURL,
            erased: participant.erased,
            isBot: participant.isBot
        )
    }

    private mutating func changePeople(_ id: WireID, _ change: (inout [Participant]) -> Void) {
        guard var people = rooms[id]?.conversation.participants else { return }
        change(&people)
        people.sort { ($0.joinedAt, $0.userId) < ($1.joinedAt, $1.userId) }
        rooms[id]?.conversation.participants = people
        rooms[id]?.conversation.participantIds = people.map(\.userId)
        rooms[id]?.conversation.participantCount = people.count
    }

    // MARK: Comparing

    /// Where this differs from a fresh snapshot.
    func differences(from fresh: SyncSnapshot) -> [String] {
        var differences: [String] = []
        let freshRooms = Dictionary(uniqueKeysWithValues: fresh.conversations.map { ($0.conversation.id, $0) })
        // What was cleared is on no list until something is said there.
        let rooms = rooms.filter { !$0.value.conversation.me.cleared }
        if Set(rooms.keys) != Set(freshRooms.keys) { differences.append("other conversations") }
        let total = rooms.values.reduce(0) { $0 + $1.conversation.unreadCount }
        if total != fresh.totalUnread { differences.append("total \(total), fresh \(fresh.totalUnread)") }
        let mentions = rooms.values.reduce(0) { $0 + $1.conversation.mentionCount }
        if mentions != fresh.totalMentions { differences.append("mentions \(mentions), fresh \(fresh.totalMentions)") }
        for (id, entry) in freshRooms {
            guard let room = rooms[id] else { continue }
            if room.conversation.withoutDraft != entry.conversation.withoutDraft {
                differences.append("\(Self.text(room.conversation))\nfresh \(Self.text(entry.conversation))")
            }
            differences += compare(room, entry.timeline.items)
        }
        for (id, user) in fresh.users where named.contains(id) && users[id] != user {
            differences.append("\(String(describing: users[id])), fresh \(user)")
        }
        return differences
    }

    /// Everyone whom the events name; others are named by the history of a conversation that one was added to.
    private var named: Set<WireID> {
        rooms.values.reduce(into: [me]) { named, room in
            named.formUnion(room.conversation.participantIds ?? [])
            named.formUnion(room.messages.values.map(\.senderId))
        }
    }

    private func compare(_ room: Room, _ timeline: [Message]) -> [String] {
        var differences: [String] = []
        for message in timeline {
            // Who comes later reads the history apart from the stream.
            if message.seq == nil, let known = room.systemMessages[message.id], known != message {
                differences.append("system message \(message.id)")
            }
            guard let seq = message.seq, let known = room.messages[seq] else { continue }
            if known.withoutReceipts != message.withoutReceipts {
                differences.append("message \(Self.text(known))\nfresh \(Self.text(message))")
            }
            for (person, _) in message.deliveredTo ?? [:] where known.deliveredTo?[person] == nil {
                if room.delivered[person] ?? 0 < seq { differences.append("message \(seq) not delivered to \(person)") }
            }
            for (person, _) in message.readBy ?? [:] where known.readBy?[person] == nil {
                if room.read[person] ?? 0 < seq { differences.append("message \(seq) not read by \(person)") }
            }
        }
        return differences
    }

    private static func text(_ value: some Encodable) -> String {
        String(decoding: (try? WireJSON.encoder().encode(value)) ?? Data(), as: UTF8.self)
    }
}

extension ReferenceReducer.Room {
    /// Another part of it may be read: a client fetches it anew.
    fileprivate mutating func forgetHistory() {
        messages = [:]
        systemMessages = [:]
    }

    fileprivate mutating func take(_ message: Message) {
        if let seq = message.seq { messages[seq] = message } else { systemMessages[message.id] = message }
    }
}

extension Conversation {
    /// Of drafts a client that is away is told nothing.
    fileprivate var withoutDraft: Conversation {
        var conversation = self
        (conversation.me.draft, conversation.me.draftUpdatedAt) = (nil, nil)
        return conversation
    }
}

extension Message {
    fileprivate mutating func forget(reactionsOf person: WireID) {
        for place in reactions.indices where reactions[place].userIds.contains(person) {
            reactions[place].userIds.removeAll { $0 == person }
            reactions[place].count -= 1
        }
        reactions.removeAll { $0.count == 0 }
    }

    /// Without what lets one session have its files for a while.
    var withoutLinks: Message {
        var message = self
        for place in attachments.indices {
            (message.attachments[place].url, message.attachments[place].thumbnailURL) = ("", nil)
        }
        return message
    }

    fileprivate var withoutReceipts: Message {
        var message = withoutLinks
        message.status = nil
        message.recipientCount = nil
        message.deliveredCount = nil
        message.readCount = nil
        message.deliveredTo = nil
        message.readBy = nil
        return message
    }
}
