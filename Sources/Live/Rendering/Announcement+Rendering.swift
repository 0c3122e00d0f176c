import Foundation
import Messaging
import ParleyWire
import ReadModels

/// What each of those concerned gets of an announcement, once the facts are known.
extension Announcement {
    /// One of the forms in which an announcement is rendered. All who get the same one see the same.
    enum Version: Hashable {
        case common
        /// What only this person gets.
        case own(UUID)
        case withoutQuote
        /// Nothing: it is about a message that is not for this person to see.
        case nothing
        /// Some of the marks of an event, by their places.
        case marks([Int])
    }

    /// Who gets which version.
    struct Versions {
        /// For all who have none of their own; nil where there is nothing for them.
        var common: Version?
        var byPerson: [UUID: Version] = [:]
        /// To whom it is no news, as they said it themselves.
        var deferrable: Set<UUID> = []

        func version(for person: UUID) -> Version? { byPerson[person] ?? common }
    }

    /// Whom it concerns, as exactly as the facts say.
    func audience(given facts: Facts) -> Audience {
        switch news {
        case .receiptsUpdated(let advanced, _):
            guard let conversation, facts.authors[position] != nil else { return audience }
            return .someMembers(Set(marksByReceiver(advanced, facts).keys), of: conversation)
        case .userUpdated(let person):
            return .contacts(of: person, in: facts.conversationsNaming[person] ?? [])
        case .conversationCreated, .conversationUpdated, .conversationRemoved, .participantAdded, .participantUpdated,
            .participantRemoved, .messageCreated, .messageUpdated, .messageDeleted, .messageHidden, .reactionsUpdated,
            .viewUpdated, .blockUpdated:
            return audience
        }
    }

    func versions(for viewers: Set<UUID>, given facts: Facts) -> Versions {
        var versions = Versions()
        switch news {
        case .conversationCreated, .conversationUpdated:
            for viewer in viewers { versions.byPerson[viewer] = .own(viewer) }
        case .conversationRemoved, .participantAdded, .participantUpdated, .participantRemoved, .userUpdated,
            .blockUpdated:
            versions.common = .common
        case .viewUpdated(let person):
            versions.byPerson[person] = .own(person)
        case .messageCreated(let sent, _):
            versions.common = .common
            for person in facts.messages[position]?.quoteHiddenFrom ?? [] { versions.byPerson[person] = .withoutQuote }
            versions.byPerson[sent.sender] = .own(sent.sender)
        case .messageUpdated, .messageDeleted, .reactionsUpdated:
            guard let changed = facts.messages[position] else { return versions }
            versions.common = .common
            if changed.hasUnnamedReactions {
                // Whoever comes meanwhile may have given one, and reads the log.
                for viewer in viewers { versions.byPerson[viewer] = .common }
                versions.common = nil
            }
            for person in changed.quoteHiddenFrom { versions.byPerson[person] = .withoutQuote }
            for person in changed.reactions.keys { versions.byPerson[person] = .own(person) }
            versions.byPerson[changed.message.senderId.uuid] = .own(changed.message.senderId.uuid)
            // Also from a sender who has left and come back since.
            for person in changed.hiddenFrom { versions.byPerson[person] = .nothing }
            // Whoever has deleted it for oneself hears only that it is deleted for everyone.
            if case .messageDeleted = news { break }
            if changed.message.isHidden { versions = Versions() }
            for person in changed.hiders.keys { versions.byPerson[person] = .nothing }
        case .messageHidden:
            guard let hidden = facts.messages[position] else { return versions }
            if hidden.isSeenByViewer { versions.common = .common }
            for person in hidden.hiders.keys { versions.byPerson[person] = .own(person) }
        case .receiptsUpdated(let advanced, _):
            for (person, places) in marksByReceiver(advanced, facts) {
                // Of what one has read in private, nobody else gets the same; nor who sees nothing of what others read.
                let isReader = places.contains { advanced.marks[$0].person == person }
                let isOwn = isReader || facts.withoutReading.contains(person)
                versions.byPerson[person] = isOwn ? .own(person) : .marks(places)
                if places.allSatisfy({ advanced.marks[$0].person == person }) { versions.deferrable.insert(person) }
            }
        }
        if let own { versions.byPerson[own.person] = .own(own.person) }
        return versions
    }

    /// Who gets which of the marks: the readers' own devices, and the authors of what was newly covered. Who sees nothing of
    /// what others read is not told when it was.
    private func marksByReceiver(_ advanced: ReceiptsAdvanced, _ facts: Facts) -> [UUID: [Int]] {
        let authors = facts.authors[position]
        var receivers: [UUID: [Int]] = [:]
        for (place, mark) in advanced.marks.enumerated() {
            let covered = authors?[place] ?? CoveredAuthors()
            let concerned = covered.delivered.union(covered.read.subtracting(facts.withoutReading))
            for person in concerned.union([mark.person]) { receivers[person, default: []].append(place) }
        }
        return receivers
    }

    /// What one person gets of itself; nil for nothing.
    func event(for viewer: UUID, given facts: Facts) -> StreamEvent? {
        versions(for: [viewer], given: facts).version(for: viewer).flatMap { event($0, given: facts) }
    }

    /// A version as it is sent; nil where the facts have nothing to send.
    func event(_ version: Version, given facts: Facts) -> StreamEvent? {
        var viewer: UUID?
        if case .own(let person) = version { viewer = person }
        if version == .nothing { return nil }
        switch viewer.map(news(for:)) ?? news {
        case .conversationCreated: return conversation(for: viewer, facts).map { .conversationCreated($0) }
        case .conversationUpdated: return conversation(for: viewer, facts).map { .conversationUpdated($0) }
        case .conversationRemoved:
            return conversation.map {
                .conversationRemoved(
                    StreamEvent.ConversationRemoved(conversationId: WireID($0), revision: position)
                )
            }
        case .participantAdded(let person): return participant(person, facts).map { .participantAdded($0) }
        case .participantUpdated(let person): return participant(person, facts).map { .participantUpdated($0) }
        case .participantRemoved(let person): return participant(person, facts).map { .participantRemoved($0) }
        case .messageCreated: return seen(version, facts).flatMap { created($0, facts) }.map { .messageCreated($0) }
        case .messageUpdated: return changed(version, facts).map { .messageUpdated($0) }
        case .messageDeleted, .messageHidden: return changed(version, facts).map { .messageDeleted($0) }
        case .reactionsUpdated:
            return changed(version, facts).map { changed in
                .reactionUpdated(
                    StreamEvent.ReactionUpdated(
                        conversationId: changed.conversationId,
                        messageId: changed.message.id,
                        reactions: changed.message.reactions,
                        revision: changed.message.revision
                    )
                )
            }
        case .receiptsUpdated(let advanced, let time):
            return receipts(advanced, time, version, facts).map { .receiptUpdated($0) }
        case .userUpdated(let person):
            return facts.users[person].map { .userUpdated(StreamEvent.UserUpdated(user: $0)) }
        case .blockUpdated(let changed, let time):
            let blockedAt = changed.isBlocked ? time : nil
            return .blockUpdated(StreamEvent.BlockUpdated(userId: WireID(changed.blocked), blockedAt: blockedAt))
        case .viewUpdated: return view(of: viewer, facts).map { .memberUpdated($0) }
        }
    }

    private func view(of viewer: UUID?, _ facts: Facts) -> StreamEvent.MemberUpdated? {
        guard let conversation, let viewer, let seen = facts.conversations[conversation]?[viewer] else { return nil }
        return StreamEvent.MemberUpdated(conversationId: WireID(conversation), me: seen.me)
    }

    private func conversation(for viewer: UUID?, _ facts: Facts) -> StreamEvent.ConversationChanged? {
        guard let conversation, let viewer else { return nil }
        return facts.conversations[conversation]?[viewer].map { StreamEvent.ConversationChanged(conversation: $0) }
    }

    private func participant(_ person: UUID, _ facts: Facts) -> StreamEvent.ParticipantChanged? {
        guard let conversation else { return nil }
        return facts.participants[conversation]?[person].map {
            StreamEvent.ParticipantChanged(conversationId: WireID(conversation), participant: $0)
        }
    }

    func created(_ message: Message, _ facts: Facts) -> StreamEvent.MessageCreated? {
        guard let conversation else { return nil }
        return StreamEvent.MessageCreated(
            conversationId: WireID(conversation),
            message: message,
            sender: facts.names[message.senderId] ?? UserSummary(displayName: nil, photoURL: nil)
        )
    }

    private func changed(_ version: Version, _ facts: Facts) -> StreamEvent.MessageChanged? {
        guard let conversation, let message = seen(version, facts) else { return nil }
        return StreamEvent.MessageChanged(conversationId: WireID(conversation), message: message)
    }

    /// The message as it is shown in a version.
    private func seen(_ version: Version, _ facts: Facts) -> Message? {
        guard let fact = facts.messages[position] else { return nil }
        // A client that was told of an erasure sees no text any more, also where the conversation is still to hear of it.
        var message = fact.message.without(textsOf: facts.isErased)
        if fact.isSeenByViewer { return message }
        guard case .own(let viewer) = version else {
            message = message.asOthersSeeIt.withReactions(of: [])
            if version == .withoutQuote { message.replyTo = message.replyTo?.withoutText }
            return message
        }
        if viewer != message.senderId.uuid {
            message = message.asOthersSeeIt.withReactions(of: fact.reactions[viewer] ?? [])
        }
        if fact.quoteHiddenFrom.contains(viewer) { message.replyTo = message.replyTo?.withoutText }
        if let hidden = fact.hiders[viewer] { message.hide(at: hidden.at, revision: hidden.position) }
        return message
    }

    private func receipts(
        _ advanced: ReceiptsAdvanced,
        _ time: Date,
        _ version: Version,
        _ facts: Facts
    ) -> StreamEvent.ReceiptUpdated? {
        guard let conversation else { return nil }
        let places: [Int]
        var showsReading = true
        switch version {
        case .marks(let some): places = some
        case .own(let viewer):
            places = marksByReceiver(advanced, facts)[viewer] ?? []
            showsReading = !facts.withoutReading.contains(viewer)
        case .common, .withoutQuote, .nothing: return nil
        }
        return StreamEvent.ReceiptUpdated(
            conversationId: WireID(conversation),
            receipts: places.map { place in
                let mark = advanced.marks[place]
                let readByOthers = showsReading ? mark.readSeqForOthers : 0
                return ReceiptMark(
                    userId: WireID(mark.person),
                    deliveredSeq: mark.deliveredSeq,
                    readSeq: version == .own(mark.person) ? mark.readSeq : readByOthers,
                    at: time
                )
            }
        )
    }
}
