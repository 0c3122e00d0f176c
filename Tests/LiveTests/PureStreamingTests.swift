import Foundation
import Messaging
import Testing

@testable import Live

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
