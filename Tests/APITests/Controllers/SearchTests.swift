import API
import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import ReadModels
import TestSupport
import Testing

/// Looking for messages, over HTTP.
@Suite(.database) struct SearchTests {
    private func search(
        _ person: Person,
        _ query: String,
        _ more: [String: JSONValue] = [:],
        after answer: Answer? = nil
    ) async throws -> ListPage<SearchResult> {
        if answer == nil { try await showAll(of: person.server) }
        var body = more
        body["query"] = .string(query)
        var headers: HTTPFields = [:]
        if let position = answer?[ParleyHeader.position], let name = HTTPField.Name(ParleyHeader.waitFor) {
            headers[name] = position
        }
        let found = try await person.send(.post, "/v1/search", headers: headers, body: .object(body))
        return try found.decode(ListPage<SearchResult>.self, status: .ok)
    }

    /// Waits until the read models have all that was answered.
    private func showAll(of server: TestServer) async throws {
        let heads = try await server.eventStore.log.heads()
        let all = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        #expect(try await server.dependencies.checkpoints.wait(for: all, timeout: .seconds(60)))
    }

    private func texts(_ page: ListPage<SearchResult>) -> [String] { page.items.compactMap(\.message.text) }

    @Test func `messages of all conversations are found by their words, with where they have them`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register()
            )
            let (one, other) = (try await ada.talk(to: bob).id, try await ada.talk(to: eve).id)
            _ = try await bob.say("Dinner at the Crêperie?", in: one)
            _ = try await eve.say("no, lunch", in: other)
            let last = try await eve.say("👍🏽 the CREPERIE for dinner then", in: other)
            let page = try await search(ada, "creperie dinner")
            #expect(texts(page) == ["👍🏽 the CREPERIE for dinner then", "Dinner at the Crêperie?"])
            #expect(page.users?[bob.id]?.displayName == "Bob")
            #expect(page.items.first?.message.id == last.id)
            #expect(page.items.first?.highlights == [TextRange(start: 7, length: 8), TextRange(start: 20, length: 6)])
            #expect(page.items.last?.highlights == [TextRange(start: 0, length: 6), TextRange(start: 14, length: 8)])
            // Bob has no part in the other conversation.
            #expect(texts(try await search(bob, "dinner")) == ["Dinner at the Crêperie?"])
            #expect(texts(try await search(ada, "dinner", ["conversationId": .string("\(one)")])).count == 1)
            #expect(texts(try await search(ada, "dinner", ["senderId": .string("\(eve.id)")])).count == 1)
            #expect(texts(try await search(ada, "", ["senderId": .string("\(eve.id)")])).count == 2)
            // By a part of it, and misspelled.
            #expect(texts(try await search(ada, "unch")) == ["no, lunch"])
            #expect(texts(try await search(ada, "diner")).count == 2)
            // The hit is shown in its place.
            let seq = try #require(page.items.last?.message.seq)
            let around = try await ada.get(HistoryPage.self, "/v1/conversations/\(one)/messages?around=\(seq)")
            #expect(around.items.contains { $0.id == page.items.last?.message.id })
        }
    }

    @Test func `a message is found as soon as its answer is waited for, and what it does not say any more is not`()
        async throws
    {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let room = try await ada.talk(to: bob).id
            let path = "/v1/conversations/\(room)/messages/\(WireID())"
            let sent = try await ada.send(.put, path, body: .object(["text": .string("a secret")]))
            #expect(texts(try await search(bob, "secret", after: sent)) == ["a secret"])
            let message = try sent.decode(Message.self)
            let edited = try await ada.edit(message, to: "nothing of it")
            #expect(texts(try await search(bob, "secret", after: edited)).isEmpty)
            #expect(texts(try await search(bob, "nothing", after: edited)) == ["nothing of it"])
            let deleted = try await ada.send(.delete, message.path)
            #expect(texts(try await search(bob, "nothing", after: deleted)).isEmpty)
            let other = try await ada.say("hidden", in: room)
            let hidden = try await bob.send(.delete, "\(other.path)?for=me")
            #expect(texts(try await search(bob, "hidden", after: hidden)).isEmpty)
            #expect(texts(try await search(ada, "hidden", after: hidden)) == ["hidden"])
        }
    }

    @Test func `only what the caller may read is found`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register(), try await server.register(), try await server.register(),
                try await server.register()
            )
            let room = WireID()
            _ = try await ada.send(
                .put,
                "/v1/conversations/\(room)",
                body: .object([
                    "groupName": .string("Friends"), "participantIds": .array([bob, dan].map { .string("\($0.id)") }),
                    "historyVisibility": .string("joined"),
                ])
            )
            _ = try await ada.say("apples before", in: room)
            _ = try await ada.send(.put, "/v1/conversations/\(room)/participants/\(eve.id)")
            _ = try await ada.say("apples while", in: room)
            let removed = try await ada.send(.delete, "/v1/conversations/\(room)/participants/\(eve.id)")
            #expect(removed.status == .noContent)
            let id = WireID()
            let sent = try await ada.send(
                .put,
                "/v1/conversations/\(room)/messages/\(id)",
                body: .object(["text": .string("apples after")])
            )
            #expect(texts(try await search(eve, "apples", after: sent)) == ["apples while"])
            #expect(texts(try await search(bob, "apples", after: sent)).count == 3)
            let stranger = try await server.register()
            #expect(texts(try await search(stranger, "apples")).isEmpty)
            try await stranger.send(
                .post,
                "/v1/search",
                body: .object(["query": .string("apples"), "conversationId": .string("\(room)")])
            ).expect(.notFound)
        }
    }

    @Test func `what mentions the caller, and what was sent at some time, is found with or without words`() async throws
    {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let room = try await ada.talk(to: bob).id
            let first = try await ada.say("one", in: room)
            let second = try await ada.send(
                .put,
                "/v1/conversations/\(room)/messages/\(WireID())",
                body: .object(["text": .string("two for you"), "mentions": .array([.string("\(bob.id)")])])
            )
            let message = try second.decode(Message.self)
            #expect(texts(try await search(bob, "", ["mentionsMe": .bool(true)], after: second)) == ["two for you"])
            #expect(texts(try await search(ada, "", ["mentionsMe": .bool(true)], after: second)).isEmpty)
            #expect(texts(try await search(bob, "one", ["mentionsMe": .bool(true)])).isEmpty)
            let time = JSONValue.string(Timestamp.format(message.timestamp))
            let sender = JSONValue.string("\(ada.id)")
            let before = try await search(bob, "", ["senderId": sender, "before": time])
            let after = try await search(bob, "", ["senderId": sender, "after": time])
            if first.timestamp < message.timestamp { #expect(texts(before) == ["one"]) }
            #expect(texts(after).contains("two for you"))
            #expect(texts(try await search(bob, "two", ["kind": .string("text")])) == ["two for you"])
            #expect(texts(try await search(bob, "two", ["kind": .string("system")])).isEmpty)
            #expect(texts(try await search(bob, "two", ["hasAttachment": .bool(true)])).isEmpty)
            #expect(texts(try await search(bob, "two", ["hasAttachment": .bool(false)])) == ["two for you"])
        }
    }

    @Test func `results come page by page, each once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let room = try await ada.talk(to: bob).id
            var sent: [WireID] = []
            for number in 1...25 { sent.append(try await ada.say("number \(number)", in: room).id) }
            var found: [WireID] = []
            var cursor: String?
            repeat {
                var more: [String: JSONValue] = ["limit": .number(10)]
                if let cursor { more["cursor"] = .string(cursor) }
                let page = try await search(bob, "number", more)
                #expect(page.items.count <= 10)
                found += page.items.map(\.message.id)
                cursor = page.nextCursor
            } while cursor != nil
            #expect(found.count == 25 && Set(found) == Set(sent))
        }
    }

    @Test func `what asks for nothing, or for too much, is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            _ = try await bob.say("hello there", in: try await ada.talk(to: bob).id)
            func refuse(_ body: [String: JSONValue], _ pointer: String) async throws {
                try await ada.send(.post, "/v1/search", body: .object(body))
                    .expect(.validationFailed, pointer: pointer)
            }
            try await refuse([:], "/query")
            for query in ["  ", "\u{200B}\u{2060}", "\u{200F}", "\u{3164}\u{FE0F}", "\u{301}"] {
                try await refuse(["query": .string(query)], "/query")
            }
            try await refuse(["query": .string(String(repeating: "a", count: 201))], "/query")
            try await refuse(["query": .number(7)], "/query")
            try await refuse(["query": .string("a\u{0}b")], "/query")
            try await refuse(["query": .string("a"), "limit": .number(0)], "/limit")
            try await refuse(["query": .string("a"), "limit": .number(201)], "/limit")
            try await refuse(["query": .string("a"), "senderId": .string("x")], "/senderId")
            try await refuse(["query": .string("a"), "before": .string("yesterday")], "/before")
            for cursor in ["AAAA", "no cursor", String(repeating: "A", count: 1_025)] {
                try await refuse(["query": .string("a"), "cursor": .string(cursor)], "/cursor")
            }
            try await refuse(["query": .string("a"), "kind": .string(String(repeating: "a", count: 51))], "/kind")
            try await refuse(["mentionsMe": .bool(false), "hasAttachment": .bool(false)], "/query")
            try await refuse(["query": .string("a"), "mentionsMe": .string("yes")], "/mentionsMe")
            // Where it says nothing beside what does, it is as if it were not there.
            let sender: [String: JSONValue] = ["senderId": .string("\(bob.id)")]
            for query in ["", " ", "\u{200B}"] {
                #expect(texts(try await search(ada, query, sender)) == ["hello there"])
            }
            // So is a null.
            let nulls: [String: JSONValue] = [
                "conversationId": .null, "senderId": .null, "mentionsMe": .null, "after": .null, "before": .null,
                "kind": .null, "hasAttachment": .null, "limit": .null, "cursor": .null,
            ]
            #expect(texts(try await search(ada, "hello", nulls)) == ["hello there"])
            // What means something to PostgreSQL means nothing here.
            for query in ["'", "a' | 'b", "a & !b", "(((", "a:*", #"\"#, "<->", "%", "🙂", "@by:\(ada.id)", "@to:"] {
                #expect(try await search(ada, query).items.isEmpty)
            }
        }
    }
}
