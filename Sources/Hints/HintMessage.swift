import Foundation

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
