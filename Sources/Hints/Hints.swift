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
    /// What the process says of people's presence: 0 for offline, 1 for away, 2 for online.
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

    /// Of what is only told, so much may wait to be sent; more is forgotten.
    private static let maximumTold = 1_000
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

    mutating func merge(_ more: Hints) {
        heads.merge(more.heads) { max($0, $1) }
        projected.merge(more.projected) { max($0, $1) }
        haveSessionsEnded = haveSessionsEnded || more.haveSessionsEnded
        haveLeasesChanged = haveLeasesChanged || more.haveLeasesChanged
        typing += more.typing.prefix(max(Self.maximumTold - typing.count, 0))
        views.formUnion(more.views.prefix(max(Self.maximumTold - views.count, 0)))
        words += more.words.prefix(max(Self.maximumTold - words.count, 0))
        watching.merge(more.watching.prefix(max(Self.maximumTold - watching.count, 0)).map { ($0, $1) }) { $1 }
        for (person, status) in more.statuses where statuses.count < Self.maximumStatuses || statuses[person] != nil {
            statuses[person] = status
        }
        asksForPresence = asksForPresence || more.asksForPresence
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
    /// By status: the ids of people, 16 bytes each, in base 64.
    var statuses: [UInt8: String]?
    var words: [Hints.Word]?
    var watching: [UUID: UUID]?
    var asksForPresence: Bool?

    // Short, for PostgreSQL takes less than 8,000 bytes. Names that a process does not know it ignores.
    enum CodingKeys: String, CodingKey {
        case sender = "p"
        case heads = "h"
        case projected = "c"
        case haveSessionsEnded = "s"
        case haveLeasesChanged = "l"
        case typing = "t"
        case views = "v"
        case statuses = "o"
        case words = "w"
        case watching = "q"
        case asksForPresence = "a"
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
        messages += presence(hints, from: sender)
        if messages.count > 1, messages[0] == HintMessage(sender: sender) { messages.removeFirst() }
        if hints.asksForPresence { messages[0].asksForPresence = true }
        if hints.haveSessionsEnded { messages[0].haveSessionsEnded = true }
        if hints.haveLeasesChanged { messages[0].haveLeasesChanged = true }
        return messages
    }

    // An id takes 22 bytes, what a session says 125, a session that watches 78; each of these comes in messages of its own.
    private static let maximumStatuses = 300
    private static let maximumWords = 50
    private static let maximumWatching = 80

    private static func presence(_ hints: Hints, from sender: UUID) -> [HintMessage] {
        var messages: [HintMessage] = []
        for (status, people) in Dictionary(grouping: hints.statuses, by: \.value) {
            for part in people.map(\.key).chunked(maximumStatuses) {
                var message = HintMessage(sender: sender)
                let bytes = part.reduce(into: Data()) { data, person in
                    withUnsafeBytes(of: person.uuid) { data.append(contentsOf: $0) }
                }
                message.statuses = [status: bytes.base64EncodedString()]
                messages.append(message)
            }
        }
        for part in hints.words.chunked(maximumWords) {
            var message = HintMessage(sender: sender)
            message.words = part
            messages.append(message)
        }
        for part in hints.watching.map({ $0 }).chunked(maximumWatching) {
            var message = HintMessage(sender: sender)
            message.watching = Dictionary(part.map { ($0.key, $0.value) }) { $1 }
            messages.append(message)
        }
        return messages
    }

    private func people(_ text: String) -> [UUID] {
        guard let data = Data(base64Encoded: text) else { return [] }
        return Array(data).chunked(16).compactMap { bytes in
            bytes.count == 16 ? bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
        }
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
            views: Set(views ?? []),
            statuses: Dictionary(
                (statuses ?? [:]).flatMap { status, text in people(text).map { ($0, status) } }
            ) { $1 },
            words: words ?? [],
            watching: watching ?? [:],
            asksForPresence: asksForPresence ?? false
        )
    }
}

extension Array {
    /// In parts of so many elements, the last of fewer.
    fileprivate func chunked(_ size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
