import EventSourcing
import Foundation
import Messaging

/// The same answers by brute force: everything is remembered, and counted when it is asked for.
struct Oracle {
    struct Span {
        let person: UUID
        let fromSeq: Int64
        let fromPosition: Int64
        var toSeq: Int64?
        var toPosition: Int64?
        var leftAt: Date?
        var role: Role
        var delivered: Int64
        var read: Int64
        /// How far others are shown that it was read.
        var publicRead: Int64
        /// When each message was received and read.
        var deliveredAt: [Int64: Date] = [:]
        var readAt: [Int64: Date] = [:]
        var view = View()
        /// What the group was at the end.
        var groupAsLeft: Group?
    }

    /// What former members see as it was.
    struct Group {
        var visibility = HistoryVisibility.all
        var permissions = GroupPermissions()
        var retention: Int?
        var slowMode: Int?
        var name: String?
        var nameBy: UUID?

        mutating func forget(_ person: UUID) {
            if nameBy == person { name = nil }
        }
    }

    /// What a member has made of the own view.
    struct View {
        var mutedUntil: Date?
        var level = NotificationLevel.all
        var archivedSeq: Int64?
        var pinnedAt: Date?
        var clearedSeq: Int64?
        var unreadAfter: Int64?
    }

    struct Talk {
        var group = Group()
        var kind = ConversationKind.group
        var spans: [Span] = []
        var messages: [MessageSent] = []
        var sentAt: [Int64: Date] = [:]
        /// What messages said before, by `seq`.
        var versions: [Int64: [String?]] = [:]
        var editedAt: [Int64: Date] = [:]
        var edits: [Int64: [(position: Int64, at: Date)]] = [:]
        /// What has been edited since the end of the membership of whom the talk is as seen by.
        var editedSince: Set<Int64> = []
        var deleted: Set<Int64> = []
        /// None where it went by itself.
        var deletedBy: [Int64: UUID] = [:]
        /// When messages go by themselves that have not.
        var expiresAt: [Int64: Date] = [:]
        /// Who has given what, in the order in which it was given.
        var reactions: [Int64: [(person: UUID, emoji: String, position: Int64)]] = [:]
        /// When a message was pinned, and by whom.
        var pins: [Int64: (at: Date, by: UUID?, position: Int64)] = [:]
        /// What each person has deleted for oneself, by `seq`.
        var hidden: [UUID: [Int64: (at: Date, position: Int64)]] = [:]
        /// The position of what last changed a message.
        var revisions: [Int64: Int64] = [:]
        var activityAt = Date.distantPast
        /// Who hides the own reading, and so sees none of that of others.
        var withoutReading: Set<UUID> = []
        /// The ids of messages and of system messages, in the order of the log.
        var history: [(id: UUID, position: Int64)] = []
        /// What the system messages tell, by id.
        var systemMessages: [UUID: SystemMessage] = [:]

        func span(of person: UUID) -> Span? { spans.last { $0.person == person } }

        func floor(of person: UUID) -> Int64 {
            kind == .group && group.visibility == .joined ? span(of: person)?.fromSeq ?? 0 : 0
        }

        func ceiling(of person: UUID) -> Int64 {
            span(of: person)?.toSeq ?? Int64(messages.count)
        }

        func visible(to person: UUID) -> [MessageSent] {
            messages.filter { $0.seq > floor(of: person) && $0.seq <= ceiling(of: person) }
        }

        /// As ``visible(to:)``, with the system messages between.
        func history(of person: UUID) -> [UUID] {
            guard let span = span(of: person) else { return [] }
            let first = kind == .group && group.visibility == .joined ? span.fromPosition : 0
            return history.filter { $0.position >= first && $0.position <= span.toPosition ?? .max }.map(\.id)
        }

        func unread(of person: UUID) -> [MessageSent] {
            guard let span = span(of: person), span.toSeq == nil else { return [] }
            return messages.filter { $0.seq > span.read && $0.sender != person && !deleted.contains($0.seq) }
        }

        func recipients(of message: MessageSent) -> [Span] {
            spans.filter { span in
                span.person != message.sender && span.fromSeq < message.seq && (span.toSeq ?? .max) >= message.seq
                    && (span.toSeq == nil || span.delivered >= message.seq)
            }
        }
    }

    private(set) var talks: [UUID: Talk] = [:]
    /// Whom each person blocks, and since when.
    private(set) var blocked: [UUID: [UUID: Date]] = [:]

    private var withoutReading: Set<UUID> = []

    init(_ log: TestLog) {
        for events in log.events {
            for record in events {
                if case .event(let event as ConversationEvent) = record.body { fold(event, record) }
                if case .event(let event as UserEvent) = record.body { fold(event, of: record.stream.id) }
            }
        }
        for id in talks.keys { talks[id]?.withoutReading = withoutReading }
    }

    private mutating func fold(_ event: UserEvent, of person: UUID) {
        switch event {
        case .profileChanged(let change):
            guard let isShared = change.readReceipts else { return }
            if isShared { withoutReading.remove(person) } else { withoutReading.insert(person) }
        case .erased: withoutReading.remove(person)
        case .registered, .deactivated, .reactivated: break
        }
    }

    private mutating func fold(_ event: ConversationEvent, _ record: RecordedEvent) {
        if case .blockChanged(let changed) = event {
            blocked[changed.person, default: [:]][changed.blocked] = changed.isBlocked ? record.recordedAt : nil
            return
        }
        // Of two people who have never talked there may be blocks to erase, and nothing else.
        if case .memberErased(let erased) = event {
            for other in blocked[erased.person, default: [:]].keys
            where DerivedID.directConversation(erased.person, other) == record.stream.id {
                blocked[erased.person]?[other] = nil
            }
            guard talks[record.stream.id] != nil else { return }
        }
        var talk = talks[record.stream.id] ?? Talk()
        if let message = SystemMessage(event, record) {
            talk.history.append((message.id, record.position))
            talk.systemMessages[message.id] = message
        }
        switch event {
        case .started(let started):
            talk.kind = started.kind
            talk.group.visibility = started.historyVisibility
            talk.group.name = started.name
            talk.group.nameBy = record.actor
            talk.activityAt = record.recordedAt
            for member in started.members { talk.join(member.id, as: member.role, at: record.position) }
        case .participantAdded(let added):
            talk.join(added.person, as: added.role, at: record.position)
        case .participantRemoved(let removed):
            let group = talk.group
            talk.change(removed.person) { span in
                span.groupAsLeft = group
                span.toSeq = removed.headSeq
                span.toPosition = record.position
                span.leftAt = record.recordedAt
                span.view = Oracle.View()
            }
        case .roleChanged(let changed):
            talk.change(changed.person) { $0.role = changed.role }
        case .groupChanged(let changed):
            if changed.name != .unchanged {
                (talk.group.name, talk.group.nameBy) = (changed.name.newValue, record.actor)
            }
            talk.group.visibility = changed.historyVisibility ?? talk.group.visibility
        case .messageSent(let sent):
            talk.messages.append(sent)
            talk.sentAt[sent.seq] = record.recordedAt
            let retention = talk.group.retention.map { TimeInterval($0) }
            talk.expiresAt[sent.seq] = retention.map { record.recordedAt.addingTimeInterval($0) }
            talk.history.append((sent.messageID, record.position))
            talk.activityAt = record.recordedAt
        case .memberErased(let erased):
            talk.group.forget(erased.person)
            for index in talk.spans.indices { talk.spans[index].groupAsLeft?.forget(erased.person) }
            for (id, message) in talk.systemMessages where message.actor == erased.person {
                talk.systemMessages[id]?.forgetNames()
            }
            talk.change(erased.person) { $0.view = Oracle.View() }
            talk.hidden[erased.person] = nil
            for message in talk.messages where message.sender == erased.person {
                talk.versions[message.seq] = talk.versions[message.seq]?.map { _ in nil }
            }
            talk.messages = talk.messages.map { $0.sender == erased.person ? $0.withoutText : $0 }
            for seq in talk.reactions.keys { talk.reactions[seq]?.removeAll { $0.person == erased.person } }
        case .receiptsAdvanced(let advanced):
            for mark in advanced.marks { talk.change(mark.person) { $0.advance(to: mark, at: record.recordedAt) } }
        case .permissionsChanged(let changed):
            talk.group.permissions.send = changed.send ?? talk.group.permissions.send
            talk.group.permissions.addMembers = changed.addMembers ?? talk.group.permissions.addMembers
            talk.group.permissions.changeInfo = changed.changeInfo ?? talk.group.permissions.changeInfo
            talk.group.permissions.pin = changed.pin ?? talk.group.permissions.pin
        case .retentionChanged(let changed):
            talk.group.retention = changed.seconds
        case .slowModeChanged(let changed):
            talk.group.slowMode = changed.seconds
        case .inviteCreated, .inviteUsed, .invitesEnded, .blockChanged:
            break
        case .viewChanged(let changed):
            talk.change(changed.person) { $0.apply(changed) }
        case .markedUnread(let marked):
            talk.change(marked.person) { $0.markUnread(after: marked.readSeq) }
        case .messageHidden(let hidden):
            if talk.hidden[hidden.person]?[hidden.seq] == nil {
                talk.hidden[hidden.person, default: [:]][hidden.seq] = (record.recordedAt, record.position)
            }
        case .messageEdited(let edited):
            let index = Int(edited.seq) - 1
            talk.versions[edited.seq, default: []].append(talk.messages[index].text)
            talk.messages[index] = talk.messages[index].with(text: edited.text)
            talk.editedAt[edited.seq] = record.recordedAt
            talk.edits[edited.seq, default: []].append((record.position, record.recordedAt))
            talk.revisions[edited.seq] = record.position
        case .messageDeleted(let deleted):
            let index = Int(deleted.seq) - 1
            talk.messages[index] = talk.messages[index].tombstone
            talk.versions[deleted.seq] = nil
            talk.editedAt[deleted.seq] = nil
            talk.edits[deleted.seq] = nil
            talk.reactions[deleted.seq] = nil
            talk.pins[deleted.seq] = nil
            talk.deleted.insert(deleted.seq)
            talk.deletedBy[deleted.seq] = record.actor
            talk.expiresAt[deleted.seq] = nil
            talk.revisions[deleted.seq] = record.position
        case .messagePinned(let pinned):
            talk.pins[pinned.seq] = (record.recordedAt, record.actor, record.position)
            talk.revisions[pinned.seq] = record.position
        case .messageUnpinned(let unpinned):
            talk.pins[unpinned.seq] = nil
            talk.revisions[unpinned.seq] = record.position
        case .reactionAdded(let reaction):
            talk.reactions[reaction.seq, default: []].append((reaction.person, reaction.emoji.text, record.position))
            talk.revisions[reaction.seq] = record.position
        case .reactionRemoved(let reaction):
            talk.reactions[reaction.seq]?.removeAll { ($0.person, $0.emoji) == (reaction.person, reaction.emoji.text) }
            talk.revisions[reaction.seq] = record.position
        }
        talks[record.stream.id] = talk
    }
}

extension Oracle.Talk {
    /// Without what the person has deleted for oneself.
    func seen(by person: UUID) -> Oracle.Talk {
        var talk = self
        for (seq, hidden) in hidden[person] ?? [:] where !deleted.contains(seq) {
            talk.messages[Int(seq) - 1] = messages[Int(seq) - 1].tombstone
            talk.versions[seq] = nil
            talk.editedAt[seq] = nil
            talk.edits[seq] = nil
            talk.expiresAt[seq] = nil
            talk.reactions[seq] = nil
            talk.pins[seq] = nil
            talk.revisions[seq] = hidden.position
        }
        if let span = span(of: person), let position = span.toPosition {
            talk.goBack(to: position)
            if let group = span.groupAsLeft { talk.group = group }
        }
        return talk
    }

    /// Messages say again what they said at a position; pins and reactions from after it are gone.
    private mutating func goBack(to position: Int64) {
        pins = pins.filter { $0.value.position <= position }
        reactions = reactions.mapValues { $0.filter { $0.position <= position } }
        for (seq, edits) in edits {
            let before = edits.filter { $0.position <= position }
            guard before.count < edits.count, let said = versions[seq] else { continue }
            messages[Int(seq) - 1] = messages[Int(seq) - 1].with(text: said[before.count])
            versions[seq] = before.isEmpty ? nil : Array(said.prefix(before.count))
            editedAt[seq] = before.last?.at
            editedSince.insert(seq)
        }
    }

    /// When the person has deleted a message for oneself that is not deleted for everyone.
    func hiddenAt(_ seq: Int64, by person: UUID) -> Date? {
        !deleted.contains(seq) ? hidden[person]?[seq]?.at : nil
    }

    var headSeq: Int64 { Int64(messages.count) }

    func isArchived(_ span: Oracle.Span) -> Bool {
        guard let archivedSeq = span.view.archivedSeq else { return false }
        return headSeq <= archivedSeq || activityAt < span.view.mutedUntil ?? .distantPast
    }

    func isCleared(_ span: Oracle.Span) -> Bool {
        span.view.clearedSeq.map { headSeq <= $0 } ?? false
    }
}

extension SystemMessage {
    /// Nothing is left of what its actor called the group.
    fileprivate mutating func forgetNames() {
        if settings.name != .unchanged { settings.name = .cleared }
        if settings.icon != .unchanged { settings.icon = .cleared }
    }
}

extension Oracle.Talk {
    fileprivate mutating func join(_ person: UUID, as role: Role, at position: Int64) {
        let head = Int64(messages.count)
        spans.append(
            Oracle.Span(
                person: person,
                fromSeq: head,
                fromPosition: position,
                role: role,
                delivered: head,
                read: head,
                publicRead: head
            )
        )
    }

    fileprivate mutating func change(_ person: UUID, _ body: (inout Oracle.Span) -> Void) {
        guard let index = spans.lastIndex(where: { $0.person == person && $0.toSeq == nil }) else { return }
        body(&spans[index])
    }
}

extension Oracle.Span {
    var isMarkedUnread: Bool { view.unreadAfter.map { read <= $0 } ?? false }

    fileprivate mutating func apply(_ changed: ViewChanged) {
        changed.mutedUntil.applied(to: &view.mutedUntil)
        changed.archivedSeq.applied(to: &view.archivedSeq)
        changed.pinnedAt.applied(to: &view.pinnedAt)
        view.level = changed.notificationLevel ?? view.level
        view.clearedSeq = changed.clearedSeq ?? view.clearedSeq
    }

    fileprivate mutating func markUnread(after seq: Int64) {
        read = max(fromSeq, min(read, seq))
        view.unreadAfter = seq
    }

    fileprivate mutating func advance(to mark: ReceiptsAdvanced.Mark, at time: Date) {
        while delivered < mark.deliveredSeq {
            delivered += 1
            deliveredAt[delivered] = time
        }
        read = max(read, mark.readSeq)
        while publicRead < mark.readSeqForOthers {
            publicRead += 1
            readAt[publicRead] = time
        }
    }
}
