import Foundation

/// One event of the log on its way to the streams of this process.
struct HubItem: Sendable {
    let partition: Int
    let position: Int64
    var membership: MembershipStep?
    /// Taken before and after the membership step: it reaches who is a member on either side of it.
    var audience = Audience.nobody
    var blocks = Blocks()
    var unread = UnreadStep.none
    var clearing: ClearingStep?
    /// The conversation of which it shows members their own views.
    var showsViewsIn: UUID?
    /// Whose texts the blocks carry: they are not passed on any more once one of these people is told to be erased.
    var quoted: Set<UUID> = []
    /// The person whom the event tells to be erased.
    var erased: UUID?

    init(partition: Int, position: Int64) {
        self.partition = partition
        self.position = position
    }

    /// What is known of it before it is told to anybody.
    init(_ announcement: Announcement) {
        self.init(partition: announcement.partition, position: announcement.position)
        membership = announcement.membership
        audience = announcement.audience
        unread = announcement.unread
        clearing = announcement.clearing
        showsViewsIn = announcement.showsViews ? announcement.conversation : nil
        erased = announcement.erased
    }

    /// The event as each receiver gets it.
    struct Blocks: Sendable {
        /// For those who get their own; nil for one whose block was not rendered.
        var byPerson: [UUID: EventBlock?] = [:]
        /// For everybody else; nil where none was rendered, because nobody was there to get it.
        var others: EventBlock?
        /// To whom it is no news, as they said it themselves: their streams may get it with what comes next.
        var deferrable: Set<UUID> = []

        /// Has them read from the log instead, by all who still wait for them.
        mutating func forget() {
            others = nil
            for person in byPerson.keys { byPerson.updateValue(nil, forKey: person) }
        }

        /// nil where it must be read from the log instead.
        func block(for person: UUID) -> EventBlock? {
            if let own = byPerson[person] { return own }
            return others
        }

        var size: Int {
            byPerson.values.reduce(others?.size ?? 0) { $0 + ($1?.size ?? 0) + 64 }
        }
    }
}
