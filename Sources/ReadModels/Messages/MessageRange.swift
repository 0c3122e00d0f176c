import Foundation
import ParleyWire

/// Messages of a conversation that follow each other.
struct MessageRange: Hashable {
    let conversation: UUID
    let first: Int64
    let last: Int64
    /// What the caller may read begins after this: earlier texts are not shown, not even where they are answered.
    let floor: Int64
    /// Where the log had the end of the caller's membership; the largest number while it lasts. Messages are shown as they
    /// were then, but for what has been deleted since, and for reactions that were taken back.
    let until: Int64
    /// The message that is wanted most: where not all fit, those farthest from it are left out.
    let anchor: Int64

    /// - Parameter anchor: the last one where it is nil.
    init(
        conversation: UUID,
        first: Int64,
        last: Int64,
        floor: Int64,
        until: Int64 = .max,
        anchor: Int64? = nil
    ) {
        self.conversation = conversation
        self.first = first
        self.last = last
        self.floor = floor
        self.until = until
        self.anchor = anchor ?? last
    }

    var isEmpty: Bool { first > last }

    func part(_ first: Int64, _ last: Int64) -> MessageRange {
        MessageRange(conversation: conversation, first: first, last: last, floor: floor, until: until)
    }

    func distance(to message: Message) -> UInt64 {
        message.seq.map { ($0 - anchor).magnitude } ?? 0
    }

    func holds(_ message: Message) -> Bool {
        message.seq.map { first <= $0 && $0 <= last } ?? false
    }
}
