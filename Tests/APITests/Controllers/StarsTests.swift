import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

/// What people star for themselves, over HTTP.
@Suite(.database) struct StarsTests {
    private func star(_ person: Person, _ id: WireID, _ message: WireID) async throws -> Answer {
        try await person.send(.put, "/v1/conversations/\(id)/messages/\(message)/star")
    }

    private func list(
        _ person: Person,
        _ query: String = "",
        after answer: Answer? = nil
    ) async throws
        -> ListPage<StarredMessage>
    {
        try await person.get(ListPage<StarredMessage>.self, "/v1/starred\(query)", after: answer)
    }

    @Test func `stars are listed over all conversations, the newest first, and for nobody else`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register("Bob"), try await server.register()
            )
            let (one, other) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            var messages: [Message] = []
            for number in 0..<6 {
                let (person, id) = number.isMultiple(of: 2) ? (bob, one) : (eve, other)
                messages.append(try await person.say("Number \(number)", in: id))
            }
            for message in messages {
                let answer = try await star(ada, message.conversationId, message.id)
                let starred = try answer.decode(StarredMessage.self, status: .created)
                #expect(starred.message.id == message.id && starred.message.text == message.text)
                let again = try await star(ada, message.conversationId, message.id)
                #expect(try again.decode(StarredMessage.self, status: .ok) == starred)
            }
            let all = try await list(ada)
            #expect(all.items.map(\.message.id) == messages.reversed().map(\.id) && all.nextCursor == nil)
            #expect(all.users?[bob.id]?.displayName == "Bob")
            var paged: [StarredMessage] = []
            var cursor: String?
            repeat {
                let page = try await list(ada, "?limit=4" + (cursor.map { "&cursor=\($0)" } ?? ""))
                paged += page.items
                cursor = page.nextCursor
            } while cursor != nil
            #expect(paged == all.items)
            #expect(try await list(bob).items.isEmpty)
            for _ in 0..<2 {
                let removed = try await ada.send(
                    .delete,
                    "/v1/conversations/\(one)/messages/\(messages[4].id)/star"
                )
                #expect(removed.status == .noContent)
            }
            #expect(try await list(ada).items.map(\.message.id) == [5, 3, 2, 1, 0].map { messages[$0].id })
        }
    }

    @Test func `what is deleted, or out of view, is listed no more`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let body: JSONValue = .object([
                "groupName": .string("Friends"), "historyVisibility": .string("joined"),
                "participantIds": .array([.string("\(ada.id)"), .string("\(eve.id)")]),
            ])
            let group = try await bob.send(.put, "/v1/conversations/\(WireID())", body: body)
                .decode(Conversation.self).id
            let kept = try await bob.say("Kept", in: group)
            let gone = try await bob.say("Gone", in: group)
            for message in [kept, gone] { _ = try await star(ada, group, message.id) }
            for message in [kept, gone] { _ = try await star(eve, group, message.id) }
            let deleted = try await bob.send(.delete, "/v1/conversations/\(group)/messages/\(gone.id)")
            #expect(try await list(eve, after: deleted).items.map(\.message.text) == ["Kept"])
            try await star(eve, group, gone.id).expect(.forbidden)
            // Who has left sees what was there; who has come back sees what came since.
            let path = "/v1/conversations/\(group)/participants/\(eve.id)"
            let removed = try await bob.send(.delete, path)
            #expect(try await list(eve, after: removed).items.map(\.message.text) == ["Kept"])
            let added = try await bob.send(.put, path)
            #expect(try await list(eve, after: added).items.isEmpty)
            try await star(eve, group, kept.id).expect(.notFound)
        }
    }

    @Test func `what the caller may not see is not found`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let message = try await bob.say("Between us", in: id)
            for method in [HTTPRequest.Method.put, .delete] {
                for (person, conversation, message) in [
                    (eve, id, message.id), (ada, id, WireID()), (ada, WireID(), message.id),
                ] {
                    try await person.send(method, "/v1/conversations/\(conversation)/messages/\(message)/star")
                        .expect(.notFound)
                }
            }
            try await ada.send(.get, "/v1/starred?cursor=AAAA").expect(.validationFailed, parameter: "cursor")
            try await ada.send(.get, "/v1/starred?limit=201").expect(.validationFailed, parameter: "limit")
        }
    }

    @Test func `an answer holds only so much, and goes on from there`() async throws {
        try await TestServer.with {
            $0.answerBytes = 16 * 1_024
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for number in 0..<8 {
                let message = try await bob.say("\(number)" + String(repeating: "a", count: 4_096), in: id)
                _ = try await star(ada, id, message.id)
            }
            let first = try await list(ada)
            #expect((1..<8).contains(first.items.count))
            var (count, cursor) = (first.items.count, first.nextCursor)
            while let next = cursor {
                let page = try await list(ada, "?cursor=\(next)")
                #expect(!page.items.isEmpty)
                (count, cursor) = (count + page.items.count, page.nextCursor)
            }
            #expect(count == 8)
        }
    }

    @Test func `stars go with the person`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let message = try await bob.say("Hi", in: id)
            _ = try await star(ada, id, message.id)
            try await server.dependencies.eraser.carryOut(ada.id.uuid)
            let left = try await TestDatabase.current.pool.query("SELECT count(*)::int AS n FROM parley.stars")
            #expect(try left.map { try $0.decode("n", as: Int.self) } == [0])
        }
    }
}
