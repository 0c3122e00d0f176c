package import Foundation

/// What processes on one database tell each other and nobody stores.
///
/// Any of it may be lost: whoever takes hints also looks by itself, now and then. None of it is believed: it says where to
/// look.
package struct Hints: Equatable, Sendable {
    /// The newest position that was appended, of each partition.
    package var heads: [Int: Int64]
    /// How far partitions are projected.
    package var projected: [Int: Int64]
    /// Whether sessions have ended.
    package var haveSessionsEnded: Bool
    /// Whether a process takes part in projecting, no longer does, or has given partitions back.
    package var haveLeasesChanged: Bool
    /// Who is typing or has stopped, in their order.
    package var typing: [Typing]
    /// Views of conversations that have changed beside the log.
    package var views: Set<View>
    /// What the process says of people's presence: 0 for offline, 1 for away, 2 for online, 3 for goodbye.
    package var statuses: [UUID: UInt8]
    /// What sessions said or did whose streams may be elsewhere.
    package var words: [Word]
    /// Sessions that asked to be told of others, and whose they are.
    package var watching: [UUID: UUID]
    /// Whether the process asks the others what they say of everybody's presence.
    package var asksForPresence: Bool

    package struct Word: Codable, Hashable, Sendable {
        package let session: UUID
        package let person: UUID
        /// Nil for something done.
        package let status: UInt8?

        package init(_ status: UInt8?, _ session: UUID, of person: UUID) {
            self.session = session
            self.person = person
            self.status = status
        }

        enum CodingKeys: String, CodingKey {
            case session = "s"
            case person = "u"
            case status = "w"
        }
    }

    package struct Typing: Codable, Hashable, Sendable {
        package let isTyping: Bool
        package let person: UUID
        package let conversation: UUID

        package init(_ isTyping: Bool, by person: UUID, in conversation: UUID) {
            self.isTyping = isTyping
            self.person = person
            self.conversation = conversation
        }

        enum CodingKeys: String, CodingKey {
            case isTyping = "t"
            case person = "u"
            case conversation = "c"
        }
    }

    package struct View: Codable, Hashable, Sendable {
        package let person: UUID
        package let conversation: UUID

        package init(of person: UUID, in conversation: UUID) {
            self.person = person
            self.conversation = conversation
        }

        enum CodingKeys: String, CodingKey {
            case person = "u"
            case conversation = "c"
        }
    }

    /// Of what no log or table keeps, so much may wait to be sent; more is forgotten.
    private static let maximumPending = 1_000
    /// As many people's presence: those of a process, when another asks.
    private static let maximumStatuses = 20_000

    package init(
        heads: [Int: Int64] = [:],
        projected: [Int: Int64] = [:],
        haveSessionsEnded: Bool = false,
        haveLeasesChanged: Bool = false,
        typing: [Typing] = [],
        views: Set<View> = [],
        statuses: [UUID: UInt8] = [:],
        words: [Word] = [],
        watching: [UUID: UUID] = [:],
        asksForPresence: Bool = false
    ) {
        self.heads = heads
        self.projected = projected
        self.haveSessionsEnded = haveSessionsEnded
        self.haveLeasesChanged = haveLeasesChanged
        self.typing = typing
        self.views = views
        self.statuses = statuses
        self.words = words
        self.watching = watching
        self.asksForPresence = asksForPresence
    }

    package var isEmpty: Bool {
        heads.isEmpty && projected.isEmpty && !haveSessionsEnded && !haveLeasesChanged && typing.isEmpty
            && views.isEmpty && statuses.isEmpty && words.isEmpty && watching.isEmpty && !asksForPresence
    }

    /// Whether somebody waits for it: not for how far partitions are projected, which is read after a write, and polled.
    var areUrgent: Bool {
        var others = self
        others.projected = [:]
        return !others.isEmpty
    }

    mutating func merge(_ more: Hints) {
        heads.merge(more.heads) { max($0, $1) }
        projected.merge(more.projected) { max($0, $1) }
        haveSessionsEnded = haveSessionsEnded || more.haveSessionsEnded
        haveLeasesChanged = haveLeasesChanged || more.haveLeasesChanged
        typing += more.typing.prefix(max(Self.maximumPending - typing.count, 0))
        views.formUnion(more.views.prefix(max(Self.maximumPending - views.count, 0)))
        words += more.words.prefix(max(Self.maximumPending - words.count, 0))
        watching.merge(more.watching.prefix(max(Self.maximumPending - watching.count, 0)).map { ($0, $1) }) { $1 }
        for (person, status) in more.statuses where statuses.count < Self.maximumStatuses || statuses[person] != nil {
            statuses[person] = status
        }
        asksForPresence = asksForPresence || more.asksForPresence
    }
}
