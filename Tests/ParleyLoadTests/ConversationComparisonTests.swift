import ParleyWire
import Testing

@testable import parley_load

struct ConversationComparisonTests {
    private static let expected = {
        var expected = Samples.conversation()
        expected.sent([
            Samples.sent(1, by: Samples.ann), Samples.sent(2, by: Samples.ann, mentions: [Samples.bob]),
        ])
        expected.mute(Samples.bob, until: Samples.time(5))
        expected.advance(Samples.bob, deliveredSeq: 2, readSeq: 1)
        return expected
    }()

    private let comparison = ConversationComparison(expected: expected, person: Samples.bob)

    private func differences(_ spoil: (inout Conversation) -> Void) -> Int {
        var conversation = Samples.view(Self.expected, for: Samples.bob)
        spoil(&conversation)
        return comparison.differences(of: conversation).count
    }

    @Test func `what the journal implies passes`() {
        #expect(differences { _ in } == 0)
    }

    @Test func `each wrong field is found`() {
        #expect(differences { $0.headSeq = 1 } == 1)
        #expect(differences { $0.groupName = "x" } == 1)
        #expect(differences { $0.participantCount = 2 } == 1)
        #expect(differences { $0.lastMessage = nil } == 1)
        #expect(differences { $0.lastMessage?.text = "x" } == 1)
        #expect(differences { $0.mentionCount = 3 } == 1)
        #expect(differences { $0.me.mutedUntil = nil } == 1)
        #expect(differences { $0.unreadCount = 0 } == 1)
        #expect(differences { $0.firstUnreadSeq = nil } == 1)
        #expect(differences { $0.me.deliveredSeq = 1 } == 1)
        #expect(differences { $0.me.readSeq = 2 } == 1)
        #expect(differences { $0.me.role = .owner } == 1)
    }

    @Test func `a conversation shown to one who left is found`() {
        let stranger = ConversationComparison(expected: Self.expected, person: Samples.dan)
        #expect(!stranger.differences(of: Samples.view(Self.expected, for: Samples.dan)).isEmpty)
    }
}
