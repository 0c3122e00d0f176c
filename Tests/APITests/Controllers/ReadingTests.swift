import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@Suite(.database) struct ReadingTests {
    @Test func `a history is read both ways and around`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let conversation = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(conversation.id)/messages"
            var last: Answer?
            for number in 1...5 {
                last = try await ada.send(.post, path, body: .object(["text": .string("\(number)")]))
            }
            let newest = try await bob.get(HistoryPage.self, path + "?limit=2", after: last)
            #expect(newest.items.map(\.text) == ["4", "5"])
            #expect(newest.page.hasOlder)
            #expect(!newest.page.hasNewer)
            #expect(newest.users?[ada.id]?.displayName == "Ada")
            // Others' delivery is nobody else's business.
            #expect(newest.items.allSatisfy { $0.status == nil && $0.recipientCount == nil })
            let cursor = try #require(newest.page.olderCursor)
            let older = try await bob.get(HistoryPage.self, path + "?limit=2&before=\(cursor)")
            #expect(older.items.map(\.text) == ["2", "3"])
            let back = try #require(older.page.newerCursor)
            #expect(try await bob.get(HistoryPage.self, path + "?after=\(back)").items.map(\.text) == ["4", "5"])
            let around = try await bob.get(HistoryPage.self, path + "?limit=3&around=3")
            #expect(around.items.map(\.text) == ["2", "3", "4"])
            let id = try #require(around.items.first).id
            #expect(try await bob.get(Message.self, path + "/\(id)").text == "2")
            #expect(try await ada.get(Message.self, path + "/\(id)").status == .sent)
        }
    }

    @Test func `strangers read nothing`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let conversation = try await ada.talk(to: bob)
            let message = try await ada.say("Hi", in: conversation.id)
            let path = "/v1/conversations/\(conversation.id)"
            let paths = [
                path, path + "/participants", path + "/messages", path + "/messages/\(message.id)",
                path + "/messages/\(message.id)/receipts",
            ]
            for path in paths {
                try await eve.send(.get, path).expect(.notFound)
                #expect(try await ada.send(.get, path).status == .ok)
            }
            #expect(try await eve.get(ListPage<Conversation>.self, "/v1/conversations").items.isEmpty)
        }
    }

    @Test func `a former member reads up to the removal`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            try await ada.say("Seen", in: group.id)
            _ = try await ada.send(.delete, "/v1/conversations/\(group.id)/participants/\(eve.id)")
            let path = "/v1/conversations/\(group.id)/messages"
            let last = try await ada.send(.post, path, body: .object(["text": .string("Not seen")]))
            let items = try await eve.get(HistoryPage.self, path, after: last).items
            #expect(items.map(\.kind) == [.system, .text, .system])
            #expect(items[1].text == "Seen")
            let hidden = try last.decode(Message.self)
            try await eve.send(.get, path + "/\(hidden.id)").expect(.notFound)
        }
    }

    @Test func `people are found by the beginning of a word and by their whole address`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada Lovelace")
            let bob = try await server.register("Bob Love")
            let named = try await bob.send(.patch, "/v1/me", body: .object(["displayName": .string("Bob Loveday")]))
            func find(_ query: String) async throws -> [WireID] {
                try await ada.get(ListPage<User>.self, "/v1/users?query=\(query)", after: named).items.map(\.id)
            }
            #expect(try await find("love") == [bob.id])
            #expect(try await find("BO") == [bob.id])
            #expect(try await find("ove") == [])
            #expect(try await find(bob.email.uppercased()) == [bob.id])
            #expect(try await find(String(bob.email.dropLast())) == [])
            #expect(try await find(ada.email) == [])
            #expect(try await find("%27%20OR%201=1") == [])
            let user = try await ada.get(User.self, "/v1/users/\(bob.id)")
            #expect(user.displayName == "Bob Loveday")
            #expect(!(try await ada.send(.get, "/v1/users/\(bob.id)").text.contains("@")))
        }
    }
}
