import Foundation
import Messaging
import Testing

@testable import Live

struct ReceiptTailsTests {
    private let room = UUID(), ada = UUID(), ben = UUID(), eve = UUID()

    private func mark(_ person: UUID, _ delivered: Int64, _ read: Int64) -> ReceiptsAdvanced.Mark {
        ReceiptsAdvanced.Mark(person: person, deliveredSeq: delivered, readSeq: read)
    }

    private func expect(_ tails: inout ReceiptTails, _ mark: ReceiptsAdvanced.Mark, _ authors: Set<UUID>?) {
        let found = tails.authors(coveredBy: mark, in: room)
        tails.advance(mark, in: room)
        #expect(found == authors)
    }

    @Test func `a receipt concerns the authors of what it newly covers`() {
        var tails = ReceiptTails()
        tails.joined(eve, at: 0, in: room)
        for (seq, sender) in [ada, ben, eve, ada].enumerated() { tails.sent(Int64(seq) + 1, by: sender, in: room) }
        expect(&tails, mark(eve, 1, 0), [ada])
        expect(&tails, mark(eve, 3, 1), [ada, ben])
        expect(&tails, mark(eve, 3, 1), [])
        expect(&tails, mark(eve, 2, 0), [])
        expect(&tails, mark(eve, 4, 4), [ada, ben])
    }

    @Test func `what memory does not reach is unknown`() {
        var tails = ReceiptTails()
        tails.sent(57, by: ada, in: room)
        expect(&tails, mark(eve, 57, 57), nil)
        tails.sent(58, by: ben, in: room)
        expect(&tails, mark(eve, 58, 57), [ben])
        // A gap: the tail begins anew.
        tails.sent(70, by: ada, in: room)
        expect(&tails, mark(eve, 70, 70), nil)
    }

    @Test func `memory is bounded`() {
        var tails = ReceiptTails(capacity: 100, maxSenders: 4)
        tails.joined(eve, at: 0, in: room)
        for seq in 1...20 { tails.sent(Int64(seq), by: ada, in: room) }
        expect(&tails, mark(eve, 20, 20), nil)
        expect(&tails, mark(eve, 20, 20), [])
        for _ in 0..<200 { tails.joined(ada, at: 0, in: UUID()) }
        expect(&tails, mark(eve, 20, 20), nil)
    }
}

struct UnreadMarksTests {
    private let room = UUID(), ada = UUID(), ben = UUID()

    private func expect(_ marks: inout UnreadMarks, projected: Int64, _ people: Set<UUID>?) {
        let pending = marks.take(projected: [projected], members: { _ in [ada, ben] }, isConnected: { _ in true })
        #expect(pending.first?.people == people)
    }

    @Test func `a message is news for all but its sender`() {
        var marks = UnreadMarks()
        marks.add(.membersWithout(ada, of: room), partition: 0, position: 1)
        expect(&marks, projected: 1, [ben])
        #expect(marks.isEmpty)
    }

    @Test func `messages of two senders are news for both`() {
        var marks = UnreadMarks()
        marks.add(.membersWithout(ada, of: room), partition: 0, position: 1)
        marks.add(.membersWithout(ben, of: room), partition: 0, position: 2)
        expect(&marks, projected: 2, [ada, ben])
    }

    @Test func `reading changes the count of the sender too`() {
        var marks = UnreadMarks()
        marks.add(.membersWithout(ada, of: room), partition: 0, position: 1)
        marks.add(.people([ada], of: room), partition: 0, position: 2)
        expect(&marks, projected: 2, [ada, ben])
    }

    @Test func `a busy conversation is told of although its newest event is not projected yet`() {
        var marks = UnreadMarks()
        marks.add(.membersWithout(ada, of: room), partition: 0, position: 5)
        expect(&marks, projected: 4, nil)
        marks.add(.membersWithout(ada, of: room), partition: 0, position: 9)
        expect(&marks, projected: 7, [ben])
        expect(&marks, projected: 7, nil)
        expect(&marks, projected: 9, [ben])
        #expect(marks.isEmpty)
    }
}
