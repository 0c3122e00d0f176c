import Foundation
import ParleyWire

/// Messages of a conversation that follow each other.
struct MessageRange: Hashable {
    let conversation: UUID
    let first: Int64
    let last: Int64
    /// What the caller may read begins after this: earlier texts are not shown, not even where they are answered.
    let floor: Int64
    /// The message that is wanted most: where not all fit, those farthest from it are left out.
    let anchor: Int64

    /// - Parameter anchor: the last one where it is nil.
    init(conversation: UUID, first: Int64, last: Int64, floor: Int64, anchor: Int64? = nil) {
        self.conversation = conversation
        self.first = first
        self.last = last
        self.floor = floor
        self.anchor = anchor ?? last
    }

    var isEmpty: Bool { first > last }
}

/// What one person may read of a conversation.
struct HistoryAccess {
    let conversation: UUID
    let floor: Int64
    let ceiling: Int64
    let firstUnread: Int64?

    init(_ row: ConversationRow) {
        conversation = row.id
        floor = row.floor
        ceiling = row.ceiling
        firstUnread = row.conversation.firstUnreadSeq
    }

    func contains(_ seq: Int64) -> Bool {
        seq > floor && seq <= ceiling
    }

    /// The newest messages.
    func newest(_ limit: Int) -> MessageRange {
        ending(at: ceiling, limit)
    }

    /// The messages up to one.
    func ending(at seq: Int64, _ limit: Int) -> MessageRange {
        let last = min(max(seq, floor), ceiling)
        return range(max(floor, last - Int64(limit)) + 1, last)
    }

    /// The messages from one on.
    func beginning(at seq: Int64, _ limit: Int) -> MessageRange {
        let first = min(max(seq, floor + 1), ceiling + 1)
        return range(first, min(ceiling, first + Int64(limit) - 1), anchor: first)
    }

    /// The messages around one, as many as there are.
    func around(_ seq: Int64, _ limit: Int) -> MessageRange {
        let middle = min(max(seq, floor + 1), ceiling)
        let first = max(floor + 1, middle - Int64(limit) / 2)
        let end = min(ceiling, first + Int64(limit) - 1)
        return range(max(floor, end - Int64(limit)) + 1, end, anchor: middle)
    }

    private func range(_ first: Int64, _ last: Int64, anchor: Int64? = nil) -> MessageRange {
        MessageRange(conversation: conversation, first: first, last: last, floor: floor, anchor: anchor)
    }
}
