import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What each makes of the own view of a conversation, over HTTP.
@Suite(.database) struct ViewsTests {
    private static let forEver = "9999-12-31T23:59:59.999Z"

    private func patch(_ person: Person, _ id: WireID, _ members: [String: JSONValue]) async throws -> Answer {
        try await person.send(.patch, "/v1/conversations/\(id)/me", body: .object(members))
    }

    private func list(_ person: Person, _ query: String = "", after answer: Answer? = nil) async throws -> [WireID] {
        try await person.get(ListPage<Conversation>.self, "/v1/conversations\(query)", after: answer).items.map(\.id)
    }

    private func snapshot(_ person: Person, after answer: Answer) async throws -> ListPage<Conversation> {
        try await person.get(ListPage<Conversation>.self, "/v1/conversations", after: answer)
    }

    @Test func `each has an own view, which nobody else sees`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let answer = try await patch(
                ada,
                id,
                [
                    "mutedUntil": .string(Self.forEver), "notificationLevel": .string("mentions"),
                    "archived": .bool(true), "pinned": .bool(true),
                ]
            )
            let me = try answer.decode(MemberSettings.self, status: .ok)
            #expect(me.mutedUntil == Timestamp.parse(Self.forEver))
            #expect(me.notificationLevel == .mentions)
            #expect(me.archived && me.pinned && me.pinnedAt != nil)
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(id)", after: answer).me == me)
            let others = try await bob.get(Conversation.self, "/v1/conversations/\(id)", after: answer).me
            #expect(others == MemberSettings(role: .member, deliveredSeq: 0, readSeq: 0))
            let back: [String: JSONValue] = [
                "mutedUntil": .null, "notificationLevel": .string("all"), "archived": .bool(false),
                "pinned": .bool(false),
            ]
            #expect(try await patch(ada, id, back).decode(MemberSettings.self) == others)
        }
    }

    @Test func `a message takes a conversation out of the archive, but for a muted one`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let (open, muted) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            for id in [open, muted] { _ = try await patch(ada, id, ["archived": .bool(true)]) }
            let answer = try await patch(ada, muted, ["mutedUntil": .string(Self.forEver)])
            #expect(Set(try await list(ada, "?filter=archived", after: answer)) == [open, muted])
            try await eve.say("Hi", in: muted)
            let last = try await bob.send(
                .put,
                "/v1/conversations/\(open)/messages/\(WireID())",
                body: .object(["text": .string("Hello")])
            )
            #expect(try await list(ada, "?filter=archived", after: last) == [muted])
        }
    }

    @Test func `a muting that is over has kept in the archive what came before its end`() async throws {
        let clock = TestClock()
        try await TestServer.with {
            $0.clock = clock.command
        } _: { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let (quiet, loud) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            let end = Timestamp.format(clock.later(by: 60))
            for id in [quiet, loud] {
                _ = try await patch(ada, id, ["archived": .bool(true), "mutedUntil": .string(end)])
            }
            clock.advance(by: 30)
            try await bob.say("Before", in: quiet)
            clock.advance(by: 60)
            try await eve.say("After", in: loud)
            #expect(try await list(ada, "?filter=archived") == [quiet])
            for until: JSONValue in [.string(Self.forEver), .null] {
                for id in [quiet, loud] {
                    let me = try await patch(ada, id, ["mutedUntil": until]).decode(MemberSettings.self, status: .ok)
                    #expect(me.archived == (id == quiet))
                }
            }
            #expect(try await list(ada, "?filter=archived") == [quiet])
        }
    }

    @Test func `what is cleared from the list comes back with the next message`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await bob.say("Hi", in: id)
            let answer = try await ada.send(.delete, "/v1/conversations/\(id)/me")
            #expect(answer.status == .noContent)
            #expect(try await list(ada, after: answer) == [])
            #expect(try await list(bob) == [id])
            // It is there for whoever asks for it, and all of its history.
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(id)").me.cleared)
            let next = try await bob.send(
                .put,
                "/v1/conversations/\(id)/messages/\(WireID())",
                body: .object(["text": .string("Still there?")])
            )
            #expect(try await list(ada, after: next) == [id])
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(id)").unreadCount == 2)
        }
    }

    @Test func `what is pinned keeps its order`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            var ids: [WireID] = []
            for _ in 0..<3 { ids.append(try await ada.talk(to: try await server.register()).id) }
            _ = try await patch(ada, ids[2], ["pinned": .bool(true)])
            let pinned = try await patch(ada, ids[0], ["pinned": .bool(true)])
            #expect(try await list(ada, "?filter=pinned", after: pinned) == [ids[0], ids[2]])
            // Neither talk nor another pin of the same changes it.
            try await ada.say("Hi", in: ids[2])
            let again = try await patch(ada, ids[2], ["pinned": .bool(true)])
            #expect(try await list(ada, "?filter=pinned", after: again) == [ids[0], ids[2]])
        }
    }

    @Test func `marking unread goes back for the caller alone`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            var last = WireID()
            for text in ["1", "2", "3"] { last = try await ada.say(text, in: id).id }
            func receipts(_ seq: Int) -> JSONValue {
                let item: JSONValue = .object(["conversationId": .string("\(id)"), "readSeq": .number(Double(seq))])
                return .object(["receipts": .array([item])])
            }
            _ = try await bob.send(.post, "/v1/receipts", body: receipts(3))
            let answer = try await bob.send(
                .post,
                "/v1/conversations/\(id)/unread",
                body: .object(["fromSeq": .number(2)])
            )
            let me = try answer.decode(MemberSettings.self, status: .ok)
            #expect(me.readSeq == 1 && me.deliveredSeq == 3 && me.markedUnread)
            let seen = try await bob.get(Conversation.self, "/v1/conversations/\(id)", after: answer)
            #expect(seen.unreadCount == 2 && seen.firstUnreadSeq == 2 && seen.me == me)
            #expect(try await list(bob, "?filter=unread") == [id])
            // The author is told what was so: read.
            let message = try await ada.get(Message.self, "/v1/conversations/\(id)/messages/\(last)", after: answer)
            #expect(message.status == .read)
            // The answer to a receipt counts in the log, what is the caller's own left out.
            let items = try await bob.send(.post, "/v1/receipts", body: receipts(2)).decode(ReceiptsAnswer.self).items
            #expect(items == [ReceiptsAnswer.Item(conversationId: id, deliveredSeq: 3, readSeq: 2, unreadCount: 1)])
            let read = try await bob.send(.post, "/v1/receipts", body: receipts(3))
            #expect(try await list(bob, "?filter=unread", after: read) == [])
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await patch(ada, id, ["mutedUntil": .string("tomorrow")])
                .expect(.validationFailed, pointer: "/mutedUntil")
            for name in ["archived", "pinned", "notificationLevel"] {
                try await patch(ada, id, [name: .null]).expect(.validationFailed, pointer: "/\(name)")
                try await patch(ada, id, [name: .number(1)]).expect(.validationFailed, pointer: "/\(name)")
            }
            for seq: JSONValue in [.number(1), .number(0), .number(-1), .null, .string("1"), .number(1.5)] {
                try await ada.send(.post, "/v1/conversations/\(id)/unread", body: .object(["fromSeq": seq]))
                    .expect(.validationFailed, pointer: "/fromSeq")
            }
        }
    }

    @Test func `the total leaves out what is cleared, and says how much of it is muted`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let rooms = [
                try await server.startGroup(people), try await server.startGroup(people),
                try await server.startGroup(people),
            ]
            for room in rooms { try await server.say("Hi", people[0], in: room) }
            try await server.view(rooms[0], of: people[1], mutedUntil: Timestamp.parse(Self.forEver))
            try await server.view(rooms[1], of: people[1], clears: true)
            try await server.waitForReadModels()
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1])
            #expect((snapshot.totalUnread, snapshot.totalUnreadUnmuted) == (2, 1))
            let others = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[2])
            #expect((others.totalUnread, others.totalUnreadUnmuted) == (3, 3))
        }
    }
}
