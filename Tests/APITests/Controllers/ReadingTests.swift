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

    @Test func `a former member reads what was said until the removal, however it is edited since`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            let first = try await ada.say("first", in: group.id)
            let second = try await ada.say("second", in: group.id)
            _ = try await ada.edit(first, to: "first once more")
            let reply = try await ada.send(
                .put,
                "\(path)/messages/\(WireID())",
                body: .object(["text": .string("about it"), "replyToId": .string("\(second.id)")])
            ).decode(Message.self)
            for person in [bob, eve] { _ = try await person.send(.put, "\(first.path)/reactions/%F0%9F%91%8D") }
            #expect(try await ada.send(.delete, "\(path)/participants/\(bob.id)").status == .noContent)
            for emoji in ["%F0%9F%91%8D", "%F0%9F%8E%89"] {
                _ = try await ada.send(.put, "\(first.path)/reactions/\(emoji)")
            }
            _ = try await ada.send(.put, "\(second.path)/reactions/%F0%9F%8E%89")
            for message in [first, second, second, reply] { _ = try await ada.edit(message, to: "zebra") }
            let pinned = try await ada.send(.put, "\(first.path)/pin")

            let page = try await bob.get(HistoryPage.self, "\(path)/messages", after: pinned)
            let texts = page.items.filter { $0.kind == .text }
            #expect(texts.map(\.text) == ["first once more", "second", "about it"])
            #expect(texts.map { $0.editedAt != nil } == [true, false, false])
            #expect(texts.allSatisfy { $0.pinnedAt == nil } && texts.last?.replyTo?.text == "second")
            #expect(try await bob.get(Message.self, second.path).text == "second")
            #expect(try await bob.get(Conversation.self, path).lastMessage?.text == "about it")
            #expect(texts.map { $0.reactions.map(\.emoji) } == [["👍"], [], []])
            #expect(texts.first?.reactions.first?.userIds == [bob.id, eve.id])
            #expect(try await bob.get(Message.self, first.path).reactions == texts.first?.reactions)
            let versions = try await bob.get(ListPage<MessageVersion>.self, "\(first.path)/history").items
            #expect(versions.map(\.text) == ["first"])
            #expect(try await bob.get(ListPage<Message>.self, "\(path)/pins").items.isEmpty)
            // What was said since is not found, nor what was there and says something else now.
            for (word, count) in [("zebra", 0), ("second", 0)] {
                let found = try await bob.send(.post, "/v1/search", body: .object(["query": .string(word)]))
                #expect(try found.decode(ListPage<SearchResult>.self).items.count == count)
            }
            // Who is a member sees it as it is.
            let seen = try await eve.get(HistoryPage.self, "\(path)/messages")
            #expect(seen.items.filter { $0.kind == .text }.map(\.text) == ["zebra", "zebra", "zebra"])
            #expect(seen.items.filter { $0.kind == .text }.map { $0.reactions.map(\.count) } == [[3, 1], [1], []])
            // What is deleted since is gone for all.
            let deleted = try await ada.send(.delete, second.path)
            #expect(try await bob.get(Message.self, second.path, after: deleted).text == nil)
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
