import Foundation
import ParleyWire
import Testing

struct StreamEventTests {
    private static func samples() throws -> [StreamEvent] {
        let conversation = try decoded(Conversation.self, ContractSamples.conversation)
        let message = try decoded(Message.self, ContractSamples.message)
        let user = try decoded(User.self, ContractSamples.user)
        let participant = try #require(conversation.participants?.first)
        let mark = ReceiptMark(userId: user.id, deliveredSeq: 3, readSeq: 2, at: message.timestamp)
        return [
            .hello(.init(resumed: true, heartbeatSeconds: 25, serverTime: message.timestamp)),
            .ready, .reset, .ping,
            .messageCreated(
                .init(conversationId: conversation.id, message: message, sender: UserSummary(displayName: "Ada"))
            ),
            .messageUpdated(.init(conversationId: conversation.id, message: message)),
            .messageDeleted(.init(conversationId: conversation.id, message: message)),
            .reactionUpdated(
                .init(
                    conversationId: conversation.id,
                    messageId: message.id,
                    reactions: [Reaction(emoji: "\u{1F44D}", count: 1, mine: true, userIds: [user.id])],
                    revision: 12
                )
            ),
            .receiptUpdated(.init(conversationId: conversation.id, receipts: [mark])),
            .conversationCreated(.init(conversation: conversation)),
            .conversationUpdated(.init(conversation: conversation)),
            .conversationRemoved(.init(conversationId: conversation.id, revision: 9)),
            .participantAdded(.init(conversationId: conversation.id, participant: participant)),
            .participantUpdated(.init(conversationId: conversation.id, participant: participant)),
            .participantRemoved(.init(conversationId: conversation.id, participant: participant)),
            .userUpdated(.init(user: user)),
            .unreadUpdated(
                .init(conversationId: conversation.id, unreadCount: 2, firstUnreadSeq: nil, totalUnread: 7)
            ),
            .memberUpdated(.init(conversationId: conversation.id, me: conversation.me)),
            .typingUpdated(
                .init(conversationId: conversation.id, userId: user.id, typing: true, expiresInMs: 3_000)
            ),
            .blockUpdated(.init(userId: conversation.id, blockedAt: nil)),
            .presenceUpdated(.init(userId: user.id, presence: Presence(status: .offline, lastSeen: user.createdAt))),
            .goAway(.init(reason: .draining, reconnectInMs: 250)),
        ]
    }

    @Test func `every event survives its way through the stream and through sync`() throws {
        for event in try Self.samples() {
            #expect(try StreamEvent(name: event.name, data: event.data()) == event)
            let item = SyncDelta.Event(id: event.knownName?.hasID == true ? "c1" : nil, event: event)
            #expect(try keys(of: item) == ["id", "event", "data"])
            #expect(try decoded(SyncDelta.Event.self, encoded(item)) == item)
        }
    }

    @Test func `the samples leave out no event`() throws {
        #expect(Set(try Self.samples().compactMap(\.knownName)) == Set(StreamEventName.allCases))
    }

    @Test func `data is one line`() throws {
        for event in try Self.samples() {
            #expect(!event.data().contains(UInt8(ascii: "\n")))
        }
    }

    @Test func `an event of a later version is kept by name`() throws {
        let event = try StreamEvent(name: "poll.opened", data: Data(#"{"x": 1}"#.utf8))
        #expect(event == .unknown(name: "poll.opened"))
        let delta = try decoded(
            SyncDelta.self,
            #"{"events": [{"id": "c", "event": "poll.opened", "data": {"x": 1}}], "cursor": "c", "hasMore": false}"#
        )
        #expect(delta.events.map(\.event) == [event])
    }

    @Test func `a known event with other data is an error`() {
        #expect(throws: DecodingError.self) {
            try StreamEvent(name: "message.created", data: Data(#"{"conversationId": "x"}"#.utf8))
        }
    }
}
