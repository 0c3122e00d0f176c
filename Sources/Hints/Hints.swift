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

    /// Of what is only told, so much may wait to be sent; more is forgotten.
    private static let maximumTold = 1_000

    package init(
        heads: [Int: Int64] = [:],
        projected: [Int: Int64] = [:],
        haveSessionsEnded: Bool = false,
        haveLeasesChanged: Bool = false,
        typing: [Typing] = [],
        views: Set<View> = []
    ) {
        self.heads = heads
        self.projected = projected
        self.haveSessionsEnded = haveSessionsEnded
        self.haveLeasesChanged = haveLeasesChanged
        self.typing = typing
        self.views = views
    }

    package var isEmpty: Bool {
        heads.isEmpty && projected.isEmpty && !haveSessionsEnded && !haveLeasesChanged && typing.isEmpty
            && views.isEmpty
    }

    mutating func merge(_ more: Hints) {
        heads.merge(more.heads) { max($0, $1) }
        projected.merge(more.projected) { max($0, $1) }
        haveSessionsEnded = haveSessionsEnded || more.haveSessionsEnded
        haveLeasesChanged = haveLeasesChanged || more.haveLeasesChanged
        typing += more.typing.prefix(max(Self.maximumTold - typing.count, 0))
        views.formUnion(more.views.prefix(max(Self.maximumTold - views.count, 0)))
    }
}

/// Hints on their way: who sends them, and as many as fit into one notification.
struct HintMessage: Codable, Equatable {
    var sender: UUID
    var heads: [Int: Int64]?
    var projected: [Int: Int64]?
    var haveSessionsEnded: Bool?
    var haveLeasesChanged: Bool?
    var typing: [Hints.Typing]?
    var views: [Hints.View]?

    // Short, for PostgreSQL takes less than 8,000 bytes. Names that a process does not know it ignores.
    enum CodingKeys: String, CodingKey {
        case sender = "p"
        case heads = "h"
        case projected = "c"
        case haveSessionsEnded = "s"
        case haveLeasesChanged = "l"
        case typing = "t"
        case views = "v"
    }

    // A position takes at most 26 bytes, somebody's typing 105, a view 95: those of the log, typing and views have a third of
    // the space each.
    private static let maximumPositions = 45
    private static let maximumTyping = 22
    private static let maximumViews = 24

    /// Cuts hints into messages that each fit.
    static func messages(_ hints: Hints, from sender: UUID) -> [HintMessage] {
        var (heads, projected) = (Array(hints.heads)[...], Array(hints.projected)[...])
        var (typing, views) = (hints.typing[...], Array(hints.views)[...])
        var messages: [HintMessage] = []
        repeat {
            var message = HintMessage(sender: sender)
            if !heads.isEmpty { message.heads = positions(heads.prefix(maximumPositions)) }
            if !projected.isEmpty { message.projected = positions(projected.prefix(maximumPositions)) }
            if !typing.isEmpty { message.typing = Array(typing.prefix(maximumTyping)) }
            if !views.isEmpty { message.views = Array(views.prefix(maximumViews)) }
            messages.append(message)
            heads = heads.dropFirst(maximumPositions)
            projected = projected.dropFirst(maximumPositions)
            typing = typing.dropFirst(maximumTyping)
            views = views.dropFirst(maximumViews)
        } while !heads.isEmpty || !projected.isEmpty || !typing.isEmpty || !views.isEmpty
        if hints.haveSessionsEnded { messages[0].haveSessionsEnded = true }
        if hints.haveLeasesChanged { messages[0].haveLeasesChanged = true }
        return messages
    }

    private static func positions(_ some: ArraySlice<(key: Int, value: Int64)>) -> [Int: Int64] {
        Dictionary(some.map { ($0.key, $0.value) }) { max($0, $1) }
    }

    var hints: Hints {
        Hints(
            heads: heads ?? [:],
            projected: projected ?? [:],
            haveSessionsEnded: haveSessionsEnded ?? false,
            haveLeasesChanged: haveLeasesChanged ?? false,
            typing: typing ?? [],
            views: Set(views ?? [])
        )
    }
}
