package import Foundation

/// What a member asks of the own view of a conversation; nil and unchanged ask nothing.
package struct ChangeView: Sendable, Equatable {
    package let person: UUID
    package let mutedUntil: Change<Date>
    package let notificationLevel: NotificationLevel?
    package let archived: Bool?
    package let pinned: Bool?
    /// Takes it from the list until the next message: out of the archive and unpinned, too.
    package let clears: Bool
    /// Server time, in whole milliseconds.
    package let now: Date
    /// Nil where nobody has looked; asked for where a muting is over that may have kept it in the archive.
    package let newest: NewestMessage?

    /// When the newest message came, as the log was seen to say.
    package struct NewestMessage: Sendable, Equatable {
        package let seq: Int64
        package let at: Date

        package init(seq: Int64, at: Date) {
            self.seq = seq
            self.at = at
        }
    }

    package init(
        person: UUID,
        mutedUntil: Change<Date> = .unchanged,
        notificationLevel: NotificationLevel? = nil,
        archived: Bool? = nil,
        pinned: Bool? = nil,
        clears: Bool = false,
        now: Date,
        newest: NewestMessage? = nil
    ) {
        self.person = person
        self.mutedUntil = mutedUntil
        self.notificationLevel = notificationLevel
        self.archived = archived
        self.pinned = pinned
        self.clears = clears
        self.now = now
        self.newest = newest
    }
}

/// Asks for everything from a message on to be unread again.
package struct MarkUnread: Sendable, Equatable {
    package let person: UUID
    package let fromSeq: Int64

    package init(person: UUID, fromSeq: Int64) {
        self.person = person
        self.fromSeq = fromSeq
    }
}
