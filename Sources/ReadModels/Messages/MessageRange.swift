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

    func holds(_ message: Message) -> Bool {
        message.seq.map { first <= $0 && $0 <= last } ?? false
    }
}

/// What one person may read of a conversation.
struct HistoryAccess {
    let conversation: UUID
    let floor: Int64
    let ceiling: Int64
    let firstUnread: Int64?
    /// The places of it all: from the first on, up to before the end.
    let start: HistoryKey
    let end: HistoryKey

    func contains(_ seq: Int64) -> Bool {
        seq > floor && seq <= ceiling
    }

    func contains(_ key: HistoryKey) -> Bool {
        start <= key && key < end
    }

    /// One message alone.
    func range(of seq: Int64) -> MessageRange {
        MessageRange(conversation: conversation, first: seq, last: seq, floor: floor)
    }
}

extension HistoryAccess {
    init(_ row: ConversationRow) {
        self.init(
            conversation: row.id,
            floor: row.floor,
            ceiling: row.ceiling,
            firstUnread: row.conversation.firstUnreadSeq,
            start: HistoryKey(row.floor, row.firstPosition),
            // How it ended for the person is the last that the person sees of it.
            end: row.toPosition.map { HistoryKey(row.ceiling, $0).next } ?? HistoryKey(row.ceiling, .max)
        )
    }
}
