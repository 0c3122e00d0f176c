import Foundation

/// What processes on one database tell each other and nobody stores.
///
/// Any of it may be lost: whoever takes hints also looks by itself, now and then. None of it is believed: it says where to
/// look.
package struct Hints: Equatable, Sendable {
    /// The newest position that was appended, of each partition.
    package var heads: [Int: Int64]
    /// Whether sessions have ended.
    package var haveSessionsEnded: Bool

    package init(heads: [Int: Int64] = [:], haveSessionsEnded: Bool = false) {
        self.heads = heads
        self.haveSessionsEnded = haveSessionsEnded
    }

    package var isEmpty: Bool { heads.isEmpty && !haveSessionsEnded }

    mutating func merge(_ more: Hints) {
        heads.merge(more.heads) { max($0, $1) }
        haveSessionsEnded = haveSessionsEnded || more.haveSessionsEnded
    }
}

/// Hints on their way: who sends them, and as many as fit into one notification.
struct HintMessage: Codable, Equatable {
    var sender: UUID
    var heads: [Int: Int64]?
    var haveSessionsEnded: Bool?

    // Short, for PostgreSQL takes less than 8,000 bytes. Names that a process does not know it ignores.
    enum CodingKeys: String, CodingKey {
        case sender = "p"
        case heads = "h"
        case haveSessionsEnded = "s"
    }

    /// An entry takes at most 26 bytes.
    private static let maximumHeads = 256

    /// Cuts hints into messages that each fit.
    static func messages(_ hints: Hints, from sender: UUID) -> [HintMessage] {
        var rest = Array(hints.heads)[...]
        var messages: [HintMessage] = []
        repeat {
            let heads = Dictionary(rest.prefix(maximumHeads).map { ($0.key, $0.value) }) { max($0, $1) }
            messages.append(HintMessage(sender: sender, heads: heads.isEmpty ? nil : heads))
            rest = rest.dropFirst(maximumHeads)
        } while !rest.isEmpty
        if hints.haveSessionsEnded { messages[0].haveSessionsEnded = true }
        return messages
    }

    var hints: Hints {
        Hints(heads: heads ?? [:], haveSessionsEnded: haveSessionsEnded ?? false)
    }
}
