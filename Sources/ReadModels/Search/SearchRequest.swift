package import Foundation

/// What somebody looks for.
package struct SearchRequest: Sendable {
    /// All of its words must be in a message; without words, the rest says what is looked for.
    package let text: String
    package let conversation: UUID?
    package let sender: UUID?
    /// Messages that were sent from then on.
    package let after: Date?
    /// Messages that were sent before then.
    package let before: Date?
    /// Whether the messages must mention the caller.
    package let mentionsCaller: Bool
    /// Whether the messages must have a file.
    package let hasAttachment: Bool

    var hasText: Bool { !text.allSatisfy(\.isWhitespace) }

    package init(
        text: String,
        conversation: UUID? = nil,
        sender: UUID? = nil,
        after: Date? = nil,
        before: Date? = nil,
        mentionsCaller: Bool = false,
        hasAttachment: Bool = false
    ) {
        self.hasAttachment = hasAttachment
        self.text = text
        self.conversation = conversation
        self.sender = sender
        self.after = after
        self.before = before
        self.mentionsCaller = mentionsCaller
    }
}

/// Where a search goes on.
struct SearchCursor {
    /// Messages with the words themselves come before those with words that are like them.
    enum Pass: Int64 {
        case exact = 0
        case similar = 1
    }

    var pass = Pass.exact
    /// When the search began, from which the age of messages counts: so that their order stays as it was.
    let begunAt: Date
    /// The last chunk of the block before; nil before the first.
    var previous: SearchPlace?
    /// What was shown of this block: which chunk is its last, and the last of its messages that was shown.
    var shown: (end: SearchPlace, last: SearchRank)?

    /// - Parameter begunAt: cut to what the cursor holds, or scores would change from page to page.
    init(begunAt: Date) {
        let microseconds = (begunAt.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        self.begunAt = Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)
    }

    var text: String {
        let parts: Int64 = (previous == nil ? 0 : 1) + (shown == nil ? 0 : 2)
        var cursor = PageCursor(.search).appending(pass.rawValue).appending(begunAt).appending(parts)
        if let previous { cursor = previous.appended(to: cursor) }
        guard let shown else { return cursor.text }
        return shown.end.appended(to: cursor).appending(Int64(bitPattern: shown.last.score.bitPattern))
            .appending(shown.last.conversation).appending(shown.last.seq).text
    }

    init(text: String) throws(BadCursor) {
        var reader = try PageCursorReader(text, .search)
        guard let pass = Pass(rawValue: try reader.number()) else { throw BadCursor() }
        self.pass = pass
        begunAt = try reader.date()
        let parts = try reader.number()
        guard (0...3).contains(parts) else { throw BadCursor() }
        if parts & 1 != 0 { previous = try SearchPlace(&reader) }
        if parts & 2 != 0 {
            let end = try SearchPlace(&reader)
            let score = Double(bitPattern: UInt64(bitPattern: try reader.number()))
            guard score.isFinite else { throw BadCursor() }
            shown = (end, SearchRank(score: score, conversation: try reader.id(), seq: try reader.number()))
        }
        try reader.end()
    }
}

/// Where a chunk stands among all: they are looked through from the newest on.
struct SearchPlace: Equatable {
    let firstAt: Date
    let chunk: SearchChunk

    init(firstAt: Date, chunk: SearchChunk) {
        self.firstAt = firstAt
        self.chunk = chunk
    }

    fileprivate init(_ reader: inout PageCursorReader) throws(BadCursor) {
        firstAt = try reader.date()
        let conversation = try reader.id()
        let number = try reader.number()
        guard (0...SearchChunk.highest).contains(number) else { throw BadCursor() }
        chunk = SearchChunk(conversation: conversation, number: number)
    }

    fileprivate func appended(to cursor: PageCursor) -> PageCursor {
        cursor.appending(firstAt).appending(chunk.conversation).appending(chunk.number)
    }
}

/// Where a message stands among those of its block: the best come first.
struct SearchRank: Comparable {
    let score: Double
    let conversation: UUID
    let seq: Int64

    static func < (one: SearchRank, other: SearchRank) -> Bool {
        if one.score != other.score { return one.score > other.score }
        if one.conversation != other.conversation { return one.conversation > other.conversation }
        return one.seq > other.seq
    }
}
