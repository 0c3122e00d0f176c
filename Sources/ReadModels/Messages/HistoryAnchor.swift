package import Foundation

/// Which piece of a history is asked for.
package enum HistoryAnchor: Sendable, Equatable {
    case newest
    /// What is older than a page's `olderCursor`.
    case before(String)
    /// What is newer than a page's `newerCursor`.
    case after(String)
    case around(HistoryTarget)
}

/// What a piece of history is around.
package enum HistoryTarget: Sendable, Equatable {
    case message(UUID)
    case seq(Int64)
    /// The first unread message; the newest where there is none.
    case unread

    /// Reads the `around` parameter: a message's id, a `seq`, or `unread`.
    package init?(text: String) {
        if text == "unread" {
            self = .unread
        } else if let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first),
            let seq = Int64(text)
        {
            self = .seq(seq)
        } else if text.utf8.count == 36, let id = UUID(uuidString: text) {
            self = .message(id)
        } else {
            return nil
        }
    }
}

/// A history is asked for around a message that the caller cannot see in it.
package struct UnknownMessage: Error, Equatable {
    package init() {}
}
