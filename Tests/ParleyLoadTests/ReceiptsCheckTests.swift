import ParleyWire
import Testing

@testable import parley_load

struct ReceiptsCheckTests {
    /// Bob has read Ann's message, Cyd has it.
    private static let conversation = {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann)])
        conversation.advance(Samples.bob, deliveredSeq: nil, readSeq: 1)
        conversation.advance(Samples.cyd, deliveredSeq: 1, readSeq: nil)
        return conversation
    }()

    private let check = ReceiptsCheck(expected: conversation.receipts(of: conversation.messages[0]))
    private let good = Samples.shown(conversation.messages[0], to: Samples.ann, in: conversation)

    private func differences(_ spoil: (inout Message) -> Void) -> Int {
        var message = good
        spoil(&message)
        return check.differences(of: message).count
    }

    @Test func `good receipts pass`() {
        #expect(check.differences(of: good).isEmpty)
        #expect(good.status == .delivered)
    }

    @Test func `a wrong status, count or map is found`() {
        #expect(differences { $0.status = .read } == 1)
        #expect(differences { $0.status = .sent } == 1)
        #expect(differences { $0.recipientCount = 3 } == 1)
        #expect(differences { $0.deliveredCount = 1 } == 1)
        #expect(differences { $0.readCount = 2 } == 1)
        #expect(differences { $0.readCount = nil } == 1)
        #expect(differences { $0.deliveredTo?[Samples.cyd] = nil } == 1)
        #expect(differences { $0.readBy?[Samples.cyd] = Samples.time(3) } == 1)
        #expect(differences { $0.deliveredTo?[Samples.cyd] = Samples.time(-5) } == 1)
    }

    @Test func `a wrong list of recipients is found`() {
        let bob = MessageReceipt(userId: Samples.bob, deliveredAt: Samples.time(2), readAt: Samples.time(2))
        let cyd = MessageReceipt(userId: Samples.cyd, deliveredAt: Samples.time(2))
        #expect(check.differences(of: [bob, cyd]).isEmpty)
        #expect(!check.differences(of: [bob]).isEmpty)
        #expect(!check.differences(of: [bob, cyd, cyd]).isEmpty)
        #expect(!check.differences(of: [bob, MessageReceipt(userId: Samples.cyd)]).isEmpty)
        #expect(!check.differences(of: [bob, cyd, MessageReceipt(userId: Samples.dan)]).isEmpty)
    }
}
