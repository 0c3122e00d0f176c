import ParleyWire
import Testing

@testable import parley_load

/// A checker that never failed proves nothing: each test spoils a good history in one way.
struct HistoryCheckTests {
    private static let conversation = {
        var conversation = Samples.conversation()
        conversation.sent([
            Samples.sent(1, by: Samples.ann), Samples.sent(2, by: Samples.bob, text: "caf\u{E9}"),
            Samples.sent(3, by: Samples.cyd, replyTo: Samples.id(1002)), Samples.sent(4, by: Samples.ann),
            Samples.sent(5, by: Samples.bob, mentions: [Samples.ann]), Samples.sent(6, by: Samples.bob),
            Samples.sent(7, by: Samples.cyd, replyTo: Samples.id(1006), mentions: [Samples.ann, Samples.bob]),
        ])
        conversation.change(Samples.id(1005)) { message in
            message.edit("other words")
            for (emoji, person) in [("👍", Samples.bob), ("🎉", Samples.ann), ("👍", Samples.ann), ("👍", Samples.ann)] {
                message.react(ExpectedMessage.Reaction(emoji: emoji, person: person))
            }
            message.unreact(ExpectedMessage.Reaction(emoji: "🎉", person: Samples.ann))
            message.pin(by: Samples.ann)
        }
        conversation.change(Samples.id(1006)) { message in
            message.pin(by: Samples.ann)
            message.react(ExpectedMessage.Reaction(emoji: "👍", person: Samples.cyd))
            message.delete(by: Samples.bob)
        }
        return conversation
    }()

    private let check = HistoryCheck(expected: conversation, reader: Samples.ann)

    private var good: [Message] {
        Self.conversation.messages.map { Samples.shown($0, to: Samples.ann, in: Self.conversation) }
    }

    private func differences(_ spoil: (inout [Message]) -> Void) -> [String] {
        var history = good
        spoil(&history)
        return check.orderDifferences(of: history) + history.flatMap { check.differences(of: $0) }
    }

    @Test func `a good history passes`() {
        #expect(differences { _ in }.isEmpty)
        #expect(check.orderDifferences(of: Array(good.prefix(2)), upTo: 2).isEmpty)
    }

    @Test func `a missing message is found`() {
        #expect(differences { $0.remove(at: 1) } == ["seq 2 (\(Samples.id(1002))) is there 0 times"])
    }

    @Test func `a doubled message is found`() {
        #expect(differences { $0.insert($0[1], at: 2) }.contains("seq 2 (\(Samples.id(1002))) is there 2 times"))
    }

    @Test func `messages out of order are found`() {
        #expect(differences { $0.swapAt(1, 2) }.contains("seq 2 stands after 3"))
    }

    @Test func `a message nobody sent is found`() {
        var stranger = good[3]
        stranger.id = Samples.id(9999)
        stranger.seq = 8
        #expect(differences { $0.append(stranger) } == ["\(Samples.id(9999)) is there, though nobody acknowledged it"])
    }

    @Test func `a seq other than acknowledged is found`() {
        #expect(differences { $0[3].seq = 9 }.contains("seq is 9"))
    }

    @Test func `a time other than acknowledged is found`() {
        #expect(differences { $0[0].timestamp = Samples.time(77) } == ["timestamp has changed"])
    }

    @Test func `words in another spelling are found`() {
        #expect(differences { $0[1].text = "cafe\u{301}" }.contains("words have changed"))
    }

    @Test func `lost words are found`() {
        #expect(differences { $0[0].text = nil } == ["words have changed"])
    }

    @Test func `a lost reply and a wrong one are found`() {
        #expect(differences { $0[2].replyTo = nil } == ["replyTo is –"])
        #expect(differences { $0[2].replyTo?.text = "cafe" }.count == 1)
        #expect(differences { $0[2].replyTo?.seq = 1 }.count == 1)
    }

    @Test func `what became of a message is shown, and nothing else`() throws {
        #expect(good[4].text == "other words" && good[4].reactions.map(\.count) == [2] && good[4].reactions[0].mine)
        #expect(good[5].text == nil && good[5].reactions.isEmpty && good[6].replyTo?.text == nil)
        #expect(differences { $0[4].text = "text 5" } == ["words have changed"])
        #expect(differences { $0[4].editedAt = nil }.count == 1)
        #expect(differences { $0[3].editedAt = Samples.time(99) }.count == 1)
        #expect(differences { $0[4].reactions = [] }.count == 1)
        #expect(differences { $0[4].reactions[0].mine = false }.count == 1)
        #expect(differences { $0[4].reactions[0].userIds.reverse() }.count == 1)
        #expect(differences { $0[4].pinnedBy = nil }.count == 1)
        #expect(differences { $0[4].mentions = [] }.count == 1)
        #expect(differences { $0[5].text = "text 6" } == ["words have changed"])
        #expect(differences { $0[5].deletedAt = nil }.count == 1)
        #expect(differences { $0[5].deletedBy = Samples.ann }.count == 1)
        #expect(differences { $0[6].replyTo?.text = "text 6" }.count == 1)
        #expect(differences { $0[6].mentions = [.user(Samples.ann)] }.count == 1)
    }

    @Test func `another's name on a message is found`() {
        #expect(differences { $0[1].senderId = Samples.cyd } == ["sender is \(Samples.cyd)"])
    }

    @Test func `receipts shown to the wrong people are found`() {
        #expect(differences { $0[1].status = .sent } == ["receipts shown to others"])
        #expect(differences { $0[0].status = nil } == ["receipts shown to no one"])
    }
}
