import ParleyWire
import Testing

@testable import parley_load

struct ExpectedConversationTests {
    @Test func `unread counts the others' messages after one's mark`() {
        var conversation = Samples.conversation()
        conversation.sent([
            Samples.sent(1, by: Samples.ann), Samples.sent(2, by: Samples.bob), Samples.sent(3, by: Samples.ann),
        ])
        #expect(conversation.unreadCount(of: Samples.bob) == 2)
        #expect(conversation.unreadCount(of: Samples.cyd) == 3)
        conversation.advance(Samples.bob, deliveredSeq: nil, readSeq: 1)
        #expect(conversation.unreadCount(of: Samples.bob) == 1)
        #expect(conversation.firstUnreadSeq(of: Samples.bob) == 3)
        #expect(conversation.unreadCount(of: Samples.dan) == 0)
    }

    @Test func `mentions count while they are unread, and what is deleted counts no more`() {
        var conversation = Samples.conversation()
        conversation.sent([
            Samples.sent(1, by: Samples.ann, mentions: [Samples.bob]), Samples.sent(2, by: Samples.ann),
            Samples.sent(3, by: Samples.cyd, mentions: [Samples.bob, Samples.ann]),
        ])
        #expect(conversation.mentionCount(of: Samples.bob) == 2)
        #expect(conversation.mentionCount(of: Samples.cyd) == 0)
        conversation.change(Samples.id(1003)) { $0.delete(by: Samples.cyd) }
        #expect(conversation.mentionCount(of: Samples.bob) == 1 && conversation.unreadCount(of: Samples.bob) == 2)
        #expect(conversation.mentionCount(of: Samples.ann) == 0 && conversation.unreadCount(of: Samples.ann) == 0)
        conversation.advance(Samples.bob, deliveredSeq: nil, readSeq: 1)
        #expect(conversation.mentionCount(of: Samples.bob) == 0 && conversation.firstUnreadSeq(of: Samples.bob) == 2)
    }

    @Test func `who leaves hears of everything again`() {
        var conversation = Samples.conversation()
        conversation.mute(Samples.bob, until: Samples.time(1))
        #expect(conversation.mutedUntil == [Samples.bob: Samples.time(1)])
        conversation.leave(Samples.bob)
        conversation.join(Samples.bob)
        #expect(conversation.mutedUntil == [:])
    }

    @Test func `marks move forward, to the head at most, and reading means having it`() {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann), Samples.sent(2, by: Samples.ann)])
        conversation.advance(Samples.bob, deliveredSeq: nil, readSeq: 99)
        conversation.advance(Samples.bob, deliveredSeq: 1, readSeq: 1)
        #expect(conversation.current(Samples.bob)?.readSeq == 2)
        #expect(conversation.current(Samples.bob)?.deliveredSeq == 2)
    }

    @Test func `who joins starts at the head, who comes back starts there again`() {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann)])
        conversation.join(Samples.dan)
        #expect(conversation.unreadCount(of: Samples.dan) == 0)
        conversation.leave(Samples.dan)
        conversation.sent([Samples.sent(2, by: Samples.ann)])
        conversation.join(Samples.dan)
        conversation.sent([Samples.sent(3, by: Samples.ann)])
        #expect(conversation.unreadCount(of: Samples.dan) == 1)
        #expect(conversation.messages.map { conversation.isEntitled(Samples.dan, to: $0) } == [false, false, true])
    }

    @Test func `a recipient who went before it was delivered is none, one who had it stays one`() {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann)])
        conversation.advance(Samples.bob, deliveredSeq: 1, readSeq: nil)
        conversation.leave(Samples.bob)
        conversation.leave(Samples.cyd)
        conversation.join(Samples.cyd)
        let receipts = conversation.receipts(of: conversation.messages[0])
        #expect(receipts.recipients == [Samples.bob])
        #expect(receipts.sentTo == 2)
        #expect(receipts.status == .delivered)
    }

    @Test func `a message is read once all have read it`() {
        var conversation = Samples.conversation()
        conversation.sent([Samples.sent(1, by: Samples.ann)])
        conversation.advance(Samples.bob, deliveredSeq: nil, readSeq: 1)
        #expect(conversation.receipts(of: conversation.messages[0]).status == .sent)
        conversation.advance(Samples.cyd, deliveredSeq: nil, readSeq: 1)
        #expect(conversation.receipts(of: conversation.messages[0]).status == .read)
    }
}
