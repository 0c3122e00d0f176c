import Foundation
import ParleyWire
import Testing

@testable import parley_load

struct ReducerTests {
    private static func created(
        _ seq: Int64,
        by sender: WireID,
        for reader: WireID,
        in base: ExpectedConversation
    ) -> StreamEvent {
        var conversation = base
        let message = Samples.sent(seq, by: sender)
        conversation.sent([message])
        return .messageCreated(
            .init(
                conversationId: Samples.conversationID,
                message: Samples.shown(message, to: reader, in: conversation),
                sender: UserSummary(displayName: Samples.names[sender])
            )
        )
    }

    private static func receipt(_ person: WireID, delivered: Int64, read: Int64, at second: Int) -> StreamEvent {
        let mark = ReceiptMark(userId: person, deliveredSeq: delivered, readSeq: read, at: Samples.time(second))
        return .receiptUpdated(.init(conversationId: Samples.conversationID, receipts: [mark]))
    }

    private static func unread(_ count: Int, first: Int64?) -> StreamEvent {
        .unreadUpdated(
            .init(
                conversationId: Samples.conversationID,
                unreadCount: count,
                firstUnreadSeq: first,
                totalUnread: count
            )
        )
    }

    /// Ann's stream: Bob writes, Ann answers, Bob reads, Dan joins, Cyd goes without having had it, Ann reads.
    private static var story: (events: [StreamEvent], fresh: SyncSnapshot) {
        let start = Samples.conversation()
        var end = start
        end.sent([Samples.sent(1, by: Samples.bob), Samples.sent(2, by: Samples.ann)])
        end.advance(Samples.bob, deliveredSeq: 2, readSeq: 2)
        end.join(Samples.dan)
        end.leave(Samples.cyd)
        end.advance(Samples.ann, deliveredSeq: 2, readSeq: 2)
        let dan = Samples.participant(Samples.dan, joinedAt: Samples.time(30))
        let events = [
            created(1, by: Samples.bob, for: Samples.ann, in: start),
            unread(1, first: 1),
            created(2, by: Samples.ann, for: Samples.ann, in: start),
            receipt(Samples.bob, delivered: 2, read: 2, at: 2),
            .participantAdded(.init(conversationId: Samples.conversationID, participant: dan)),
            // Dan was no member when Ann wrote: this mark is about nothing of hers.
            receipt(Samples.dan, delivered: 2, read: 2, at: 31),
            .participantRemoved(
                .init(conversationId: Samples.conversationID, participant: Samples.participant(Samples.cyd))
            ),
            receipt(Samples.ann, delivered: 2, read: 2, at: 40),
            unread(0, first: nil),
        ]
        return (events, Samples.snapshot(end, for: Samples.ann, joinedAt: [Samples.dan: Samples.time(30)]))
    }

    private static func differences(_ events: [StreamEvent], _ fresh: SyncSnapshot) -> [String] {
        var reducer = Reducer(snapshot: Samples.snapshot(Samples.conversation(), for: Samples.ann), timelineLimit: 20)
        events.forEach { reducer.apply($0) }
        return SnapshotComparison(followed: reducer, fresh: fresh).differences()
    }

    @Test func `nothing that an erased person said is kept, not even as a quote`() throws {
        let start = Samples.conversation()
        var reducer = Reducer(snapshot: Samples.snapshot(start, for: Samples.ann), timelineLimit: 20)
        reducer.apply(Self.created(1, by: Samples.ann, for: Samples.ann, in: start))
        guard case .messageCreated(var answer) = Self.created(2, by: Samples.bob, for: Samples.ann, in: start) else {
            return
        }
        answer.message.replyTo = ReplyTo(id: Samples.id(1), seq: 1, senderId: Samples.ann, text: "quoted")
        reducer.apply(.messageCreated(answer))
        var erased = Samples.user(Samples.bob, name: "Bob")
        (erased.displayName, erased.erased) = (nil, true)
        reducer.apply(.userUpdated(.init(user: erased)))
        let timeline = try #require(reducer.timelines[Samples.conversationID])
        #expect(timeline[0].text != nil)
        #expect(timeline[1].text == nil)
        #expect(timeline[1].replyTo?.text == "quoted")
        #expect(reducer.conversations[Samples.conversationID]?.lastMessage?.text == nil)
        #expect(reducer.users[Samples.bob] == UserSummary(displayName: nil, erased: true))
        #expect(reducer.members[Samples.conversationID]?[Samples.bob]?.erased == true)

        erased.id = Samples.ann
        reducer.apply(.userUpdated(.init(user: erased)))
        let rest = try #require(reducer.timelines[Samples.conversationID])
        #expect(rest.allSatisfy { $0.text == nil && $0.replyTo?.text == nil })
    }

    @Test func `a snapshot and the events make a fresh snapshot`() {
        let (events, fresh) = Self.story
        #expect(Self.differences(events, fresh) == [])
    }

    @Test func `an event applied twice does no harm`() {
        let (events, fresh) = Self.story
        for index in events.indices {
            var doubled = events
            doubled.insert(events[index], at: index)
            #expect(Self.differences(doubled, fresh) == [])
        }
        #expect(Self.differences(events + events.suffix(4), fresh) == [])
    }

    @Test func `any event left out is found`() {
        let (events, fresh) = Self.story
        // The first count is overwritten by the last, and Dan's mark changes nothing.
        for index in events.indices where index != 1 && index != 5 {
            var events = events
            events.remove(at: index)
            #expect(Self.differences(events, fresh) != [], "event \(index)")
        }
    }

    @Test func `anything else in the fresh snapshot is found`() {
        let (events, good) = Self.story
        let spoils: [(inout SyncSnapshot) -> Void] = [
            { $0.me.displayName = "Zoe" },
            { $0.totalUnread = 5 },
            { $0.conversations = [] },
            { $0.conversations[0].conversation.unreadCount = 1 },
            { $0.conversations[0].conversation.firstUnreadSeq = 2 },
            { $0.conversations[0].conversation.headSeq = 3 },
            { $0.conversations[0].conversation.groupName = "Zoo" },
            { $0.conversations[0].conversation.me.readSeq = 1 },
            { $0.conversations[0].conversation.me.pinned = true },
            { $0.conversations[0].conversation.lastMessage?.text = "x" },
            { $0.conversations[0].conversation.participantCount = 4 },
            { $0.conversations[0].conversation.participants?[0].displayName = "x" },
            { $0.conversations[0].conversation.participants?.swapAt(0, 1) },
            { $0.conversations[0].conversation.updatedAt = Samples.time(99) },
            { $0.conversations[0].conversation.joinPolicy = .invite },
            { $0.conversations[0].timeline.items.removeFirst() },
            { $0.conversations[0].timeline.items.swapAt(0, 1) },
            { $0.conversations[0].timeline.items[0].text = "x" },
            { $0.conversations[0].timeline.items[1].status = .delivered },
            { $0.conversations[0].timeline.items[1].recipientCount = 2 },
            { $0.conversations[0].timeline.items[1].readBy = [:] },
            { $0.users[Samples.bob] = UserSummary(displayName: "x") },
        ]
        for (index, spoil) in spoils.enumerated() {
            var fresh = good
            spoil(&fresh)
            #expect(Self.differences(events, fresh) != [], "spoil \(index)")
        }
    }

    @Test func `who is added fetches the history, and who is removed forgets all`() {
        var expected = Samples.conversation()
        expected.sent([Samples.sent(1, by: Samples.ann)])
        expected.join(Samples.dan)
        var reducer = Reducer(snapshot: Samples.snapshot(nil, for: Samples.dan), timelineLimit: 20)
        reducer.apply(.conversationCreated(.init(conversation: Samples.view(expected, for: Samples.dan))))
        #expect(reducer.pendingFetches == [.history(Samples.conversationID)])
        reducer.fetched(Samples.page(expected, for: Samples.dan), of: Samples.conversationID)
        let fresh = Samples.snapshot(expected, for: Samples.dan)
        #expect(SnapshotComparison(followed: reducer, fresh: fresh).differences() == [])
        reducer.apply(.conversationRemoved(.init(conversationId: Samples.conversationID, revision: 2)))
        let gone = Samples.snapshot(nil, for: Samples.dan)
        #expect(SnapshotComparison(followed: reducer, fresh: gone).differences() == [])
        #expect(SnapshotComparison(followed: reducer, fresh: fresh).differences() != [])
    }

    @Test func `history fetched ahead of the stream is overtaken without harm`() {
        var expected = Samples.conversation()
        expected.join(Samples.dan)
        let before = expected
        expected.sent([Samples.sent(1, by: Samples.dan)])
        expected.advance(Samples.bob, deliveredSeq: 1, readSeq: nil)
        var reducer = Reducer(snapshot: Samples.snapshot(nil, for: Samples.dan), timelineLimit: 20)
        reducer.apply(.conversationCreated(.init(conversation: Samples.view(expected, for: Samples.dan))))
        reducer.fetched(Samples.page(expected, for: Samples.dan), of: Samples.conversationID)
        reducer.apply(Self.created(1, by: Samples.dan, for: Samples.dan, in: before))
        reducer.apply(Self.receipt(Samples.bob, delivered: 1, read: 0, at: 1))
        let fresh = Samples.snapshot(expected, for: Samples.dan)
        #expect(SnapshotComparison(followed: reducer, fresh: fresh).differences() == [])
    }

    @Test func `a new name shows wherever the person is`() {
        var reducer = Reducer(snapshot: Samples.snapshot(Samples.conversation(), for: Samples.ann), timelineLimit: 20)
        reducer.apply(.userUpdated(.init(user: Samples.user(Samples.bob, name: "Robert"))))
        var fresh = Samples.snapshot(Samples.conversation(), for: Samples.ann)
        #expect(SnapshotComparison(followed: reducer, fresh: fresh).differences() != [])
        fresh.conversations[0].conversation.participants?[1].displayName = "Robert"
        fresh.users[Samples.bob] = UserSummary(displayName: "Robert")
        #expect(SnapshotComparison(followed: reducer, fresh: fresh).differences() == [])
    }

    @Test func `the members of a large group are fetched, and listed once it is small`() {
        var large = Samples.view(Samples.conversation(), for: Samples.ann)
        let others = (0..<48).map { Samples.participant(Samples.id(500 + $0)) }
        let all = (large.participants ?? []) + others
        large.participants = nil
        large.participantIds = nil
        large.participantCount = 51
        var reducer = Reducer(snapshot: Samples.snapshot(nil, for: Samples.ann), timelineLimit: 20)
        reducer.apply(.conversationCreated(.init(conversation: large)))
        #expect(reducer.pendingFetches == [.history(Samples.conversationID), .participants(Samples.conversationID)])
        reducer.fetched(all, of: Samples.conversationID)
        #expect(reducer.conversations[Samples.conversationID] == large)
        reducer.apply(
            .participantRemoved(.init(conversationId: Samples.conversationID, participant: others[0]))
        )
        #expect(reducer.conversations[Samples.conversationID]?.participants?.count == 50)
        #expect(reducer.conversations[Samples.conversationID]?.participantCount == 50)
    }

    @Test func `system messages keep their places, and change nothing else`() throws {
        func system(_ number: Int) -> ParleyWire.Message {
            ParleyWire.Message(
                id: Samples.id(900 + number),
                localId: Samples.id(900 + number),
                conversationId: Samples.conversationID,
                seq: nil,
                senderId: Samples.bob,
                kind: .system,
                text: nil,
                data: .object(["changes": .object(["groupName": .string("Zoo"), "joinPolicy": .string("open")])]),
                timestamp: Samples.time(number),
                revision: Int64(number)
            )
        }
        let base = Samples.conversation()
        var reducer = Reducer(snapshot: Samples.snapshot(base, for: Samples.ann), timelineLimit: 20)
        let before = reducer.conversations
        let sender = UserSummary(displayName: "Bob")
        for message in [system(1), system(2), system(1)] {
            reducer.apply(
                .messageCreated(.init(conversationId: Samples.conversationID, message: message, sender: sender))
            )
        }
        #expect(reducer.timelines[Samples.conversationID] == [system(1), system(2)])
        #expect(reducer.conversations == before)
        reducer.apply(Self.created(1, by: Samples.ann, for: Samples.ann, in: base))
        reducer.apply(Self.created(1, by: Samples.ann, for: Samples.ann, in: base))
        #expect(reducer.timelines[Samples.conversationID]?.map(\.seq) == [nil, nil, 1])
        // A page brings what was missed between.
        let known = try #require(reducer.timelines[Samples.conversationID])
        let page = HistoryPage(
            items: [system(1), system(3), known[2]],
            page: PageInfo(olderCursor: nil, newerCursor: nil, hasOlder: false, hasNewer: false)
        )
        reducer.fetched(page, of: Samples.conversationID)
        #expect(
            reducer.timelines[Samples.conversationID]?.map(\.id) == [
                system(1).id, system(3).id, system(2).id, known[2].id,
            ]
        )
        // What an erased person called the group goes with the person.
        var erased = Samples.user(Samples.bob, name: "Bob")
        (erased.displayName, erased.erased) = (nil, true)
        reducer.apply(.userUpdated(.init(user: erased)))
        let left: JSONValue = .object(["changes": .object(["groupName": .null, "joinPolicy": .string("open")])])
        #expect(reducer.timelines[Samples.conversationID]?.first?.data == left)
    }

    @Test func `the timeline keeps the newest`() {
        var reducer = Reducer(snapshot: Samples.snapshot(Samples.conversation(), for: Samples.ann), timelineLimit: 3)
        for seq in Int64(1)...5 {
            reducer.apply(Self.created(seq, by: Samples.bob, for: Samples.ann, in: Samples.conversation()))
        }
        #expect(reducer.timelines[Samples.conversationID]?.map(\.seq) == [3, 4, 5])
    }
}
