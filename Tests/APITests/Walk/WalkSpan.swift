import Foundation

/// From somebody's coming into a conversation to the going, and how far the person has received then, as others are told.
struct WalkSpan {
    let start: Int64
    /// How far the conversation was when the person went.
    var end: Int64?
    var delivered: Int64
    /// Without what was read while others were not to know.
    var read: Int64

    init(after start: Int64) {
        self.start = start
        (delivered, read) = (start, start)
    }

    /// Who has gone is a recipient of what was received before.
    func receives(_ seq: Int64) -> Bool {
        seq > start && seq <= (end.map { min($0, delivered) } ?? .max)
    }
}

extension WalkWorld.Room {
    /// Who is to receive a message, and who of them has received and read it.
    func receipts(of message: WalkWorld.Sent) -> (all: Set<UUID>, delivered: Set<UUID>, read: Set<UUID>) {
        var receipts: (all: Set<UUID>, delivered: Set<UUID>, read: Set<UUID>) = ([], [], [])
        for (person, spans) in spans where person != message.sender {
            guard let span = spans.first(where: { $0.receives(message.seq) }) else { continue }
            receipts.all.insert(person)
            if span.delivered >= message.seq { receipts.delivered.insert(person) }
            if span.read >= message.seq { receipts.read.insert(person) }
        }
        return receipts
    }
}
