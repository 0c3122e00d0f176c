import Foundation
import ParleyWire

/// A place in the history of a conversation: that of a message, or that of a system message behind one.
struct HistoryKey: Hashable, Comparable {
    /// Of the message; of a system message, that of the message before it.
    let seq: Int64
    /// Of a system message, where the log has it; 0 for a message.
    let position: Int64

    init(_ seq: Int64, _ position: Int64 = 0) {
        self.seq = seq
        self.position = position
    }

    /// Behind everything.
    static let end = HistoryKey(.max, .max)

    static func < (one: HistoryKey, other: HistoryKey) -> Bool {
        (one.seq, one.position) < (other.seq, other.position)
    }

    /// The first place behind this one.
    var next: HistoryKey { HistoryKey(seq, position + 1) }

    // MARK: Cursors

    /// Messages have the cursors that they had before there were system messages.
    var cursor: String {
        let cursor = PageCursor(.history).appending(seq)
        return (position == 0 ? cursor : cursor.appending(position)).text
    }

    init(cursor: String) throws(BadCursor) {
        var reader = try PageCursorReader(cursor, .history)
        seq = try reader.number()
        position = reader.isAtEnd ? 0 : try reader.number()
        try reader.end()
        // One more must be a number too.
        guard seq >= 0, seq < .max, position >= 0, position < .max, seq > 0 || position > 0 else { throw BadCursor() }
    }
}

/// Something in a history, at its place.
struct HistoryItem {
    let key: HistoryKey
    let message: Message
    /// Whom a system message names.
    var people: [UUID] = []
}
