package import EventSourcing
package import Foundation

/// What the history of a group says by itself: one of the group's events, told as a message without a `seq`.
///
/// It follows from the event alone, its id too, so nothing more is stored of it in the log, and clients word it.
package struct SystemMessage: Sendable, Equatable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case groupCreated, groupUpdated
        case participantAdded, participantJoined, participantLeft, participantRemoved, participantRoleChanged
        case messagePinned, messageUnpinned
        case retentionChanged
    }

    /// What a group looks like and how it works, as far as it was set.
    package struct Settings: Sendable, Equatable {
        /// Cleared, too, once who set it is erased; so is the icon.
        package var name = Change<String>.unchanged
        package var icon = Change<String>.unchanged
        package var joinPolicy: JoinPolicy?
        package var historyVisibility: HistoryVisibility?
        package var permissions = PermissionsChanged.nothing
        /// In seconds; cleared for ever.
        package var retention = Change<Int>.unchanged
        /// In seconds; cleared for no limit.
        package var slowMode = Change<Int>.unchanged
    }

    package let id: UUID
    package let kind: Kind
    package let actor: UUID
    /// Whom it concerns; of a new group all members but the actor.
    package var people: [UUID] = []
    /// The new one of the person concerned; of who comes, only where it is not the simple member's.
    package var role: Role?
    /// The message concerned.
    package var message: UUID?
    package var settings = Settings()

    private init(_ kind: Kind, by actor: UUID, _ record: RecordedEvent) {
        id = DerivedID.systemMessage(of: record.stream.id, command: record.commandID, ordinal: record.ordinal)
        self.kind = kind
        self.actor = actor
    }

    /// Nil where the history says nothing of the event.
    package init?(_ event: ConversationEvent, _ record: RecordedEvent) {
        switch event {
        case .started(let started): self.init(started, record)
        case .participantAdded(let added):
            let isOwnDoing = record.actor == nil || record.actor == added.person
            self.init(isOwnDoing ? .participantJoined : .participantAdded, concerning: added.person, record)
            role = added.role == .member ? nil : added.role
        case .participantRemoved(let removed):
            // Nobody acts for an erased person, who leaves.
            let isOwnDoing = record.actor == nil || record.actor == removed.person
            self.init(isOwnDoing ? .participantLeft : .participantRemoved, concerning: removed.person, record)
        case .roleChanged(let changed):
            self.init(.participantRoleChanged, concerning: changed.person, record)
            role = changed.role
        case .groupChanged(let changed):
            guard let actor = record.actor else { return nil }
            self.init(.groupUpdated, by: actor, record)
            settings.name = changed.name
            settings.icon = changed.icon
            settings.joinPolicy = changed.joinPolicy
            settings.historyVisibility = changed.historyVisibility
        case .permissionsChanged(let changed):
            // What a group starts with is not told as a change of it.
            guard let actor = record.actor, record.version != Int64(record.ordinal) + 1 else { return nil }
            self.init(.groupUpdated, by: actor, record)
            settings.permissions = changed
        case .messagePinned(let pinned):
            self.init(.messagePinned, about: pinned, record)
        case .messageUnpinned(let unpinned):
            self.init(.messageUnpinned, about: unpinned, record)
        case .slowModeChanged(let changed):
            guard let actor = record.actor else { return nil }
            self.init(.groupUpdated, by: actor, record)
            settings.slowMode = changed.seconds.map { .set($0) } ?? .cleared
        case .retentionChanged(let changed):
            // Of two people, too: what they say goes by itself from now on, or does no longer.
            guard let actor = record.actor else { return nil }
            self.init(.retentionChanged, by: actor, record)
            settings.retention = changed.seconds.map { .set($0) } ?? .cleared
        case .messageSent, .memberErased, .receiptsAdvanced, .viewChanged, .markedUnread, .messageHidden,
            .inviteCreated, .inviteUsed,
            .invitesEnded, .messageEdited, .messageDeleted, .reactionAdded, .reactionRemoved, .blockChanged:
            return nil
        }
    }

    private init?(_ started: ConversationStarted, _ record: RecordedEvent) {
        guard started.kind == .group, let actor = record.actor ?? started.members.first?.id else { return nil }
        self.init(.groupCreated, by: actor, record)
        people = started.members.map(\.id).filter { $0 != actor }
        // That there is none is told, too: who reads it later cannot tell it from one that went with its owner.
        settings.name = started.name.map { .set($0) } ?? .cleared
        settings.icon = started.icon.map { .set($0) } ?? .cleared
        settings.joinPolicy = started.joinPolicy
        settings.historyVisibility = started.historyVisibility
    }

    private init?(_ kind: Kind, about changed: PinChanged, _ record: RecordedEvent) {
        guard changed.conversation == .group, let actor = record.actor else { return nil }
        self.init(kind, by: actor, record)
        message = changed.messageID
    }

    private init(_ kind: Kind, concerning person: UUID, _ record: RecordedEvent) {
        self.init(kind, by: record.actor ?? person, record)
        people = [person]
    }
}
