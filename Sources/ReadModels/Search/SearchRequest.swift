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

    var hasText: Bool { !text.allSatisfy(\.isWhitespace) }

    package init(
        text: String,
        conversation: UUID? = nil,
        sender: UUID? = nil,
        after: Date? = nil,
        before: Date? = nil,
        mentionsCaller: Bool = false
    ) {
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
    /// Where the chunks begin whose messages come next; nil for the newest.
    var block: SearchPlace?
    /// The last of those messages that was shown; nil before the first.
    var last: SearchRank?

    /// - Parameter begunAt: cut to what the cursor holds, or scores would change from page to page.
    init(begunAt: Date) {
        let microseconds = (begunAt.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        self.begunAt = Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000)
    }

    var text: String {
        var cursor = PageCursor(.search).appending(pass.rawValue).appending(begunAt)
        guard let block else { return cursor.text }
        cursor = cursor.appending(block.firstAt).appending(block.chunk.conversation).appending(block.chunk.number)
        guard let last else { return cursor.text }
        return cursor.appending(Int64(bitPattern: last.score.bitPattern)).appending(last.conversation)
            .appending(last.seq).text
    }

    init(text: String) throws(BadCursor) {
        var reader = try PageCursorReader(text, .search)
        guard let pass = Pass(rawValue: try reader.number()) else { throw BadCursor() }
        self.pass = pass
        begunAt = try reader.date()
        guard !reader.isAtEnd else { return }
        let firstAt = try reader.date()
        let conversation = try reader.id()
        let number = try reader.number()
        guard (0...SearchChunk.highest).contains(number) else { throw BadCursor() }
        block = SearchPlace(firstAt: firstAt, chunk: SearchChunk(conversation: conversation, number: number))
        guard !reader.isAtEnd else { return }
        let score = Double(bitPattern: UInt64(bitPattern: try reader.number()))
        guard score.isFinite else { throw BadCursor() }
        last = SearchRank(score: score, conversation: try reader.id(), seq: try reader.number())
        try reader.end()
    }
}

/// Where a chunk stands among all: they are looked through from the newest on.
struct SearchPlace {
    let firstAt: Date
    let chunk: SearchChunk
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
