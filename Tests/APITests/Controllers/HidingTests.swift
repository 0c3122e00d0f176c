import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// Deleting messages for oneself, over HTTP.
@Suite(.database) struct HidingTests {
    @Test func `what one deletes for oneself is gone from one's own view alone`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(room.id)"
            let sent = try await ada.say("not for me", in: room.id)
            _ = try await ada.edit(sent, to: "still not for me")
            _ = try await ada.send(.put, "\(sent.path)/reactions/%F0%9F%91%8D")
            _ = try await bob.send(.put, "\(sent.path)/star")
            _ = try await bob.send(.put, "\(sent.path)/pin")
            let answer = try await ada.send(
                .put,
                "\(path)/messages/\(WireID())",
                body: .object(["text": .string("about it"), "replyToId": .string("\(sent.id)")])
            ).decode(Message.self)
            let hidden = try await bob.send(.delete, "\(sent.path)?for=me")
            #expect(hidden.status == .noContent)

            let page = try await bob.get(HistoryPage.self, "\(path)/messages", after: hidden)
            #expect(page.items.compactMap(\.seq) == [1, 2])
            let stone = try #require(page.items.first)
            #expect(stone.id == sent.id && stone.senderId == ada.id && stone.timestamp == sent.timestamp)
            #expect(stone.text == nil && stone.reactions.isEmpty && stone.editedAt == nil && stone.pinnedAt == nil)
            #expect(stone.deletedAt != nil && stone.deletedForMe == true && stone.deletedBy == nil)
            #expect(page.items.last?.replyTo?.id == sent.id && page.items.last?.replyTo?.text == nil)
            #expect(try await bob.get(Message.self, sent.path) == stone)
            #expect(try await bob.get(Message.self, answer.path).replyTo?.text == nil)
            #expect(try await bob.get(ListPage<MessageVersion>.self, "\(sent.path)/history").items.isEmpty)
            #expect(try await bob.get(ListPage<StarredMessage>.self, "/v1/starred").items.isEmpty)
            #expect(try await bob.get(ListPage<Message>.self, "\(path)/pins").items.isEmpty)
            // What others do to it is nothing to hear of.
            _ = try await ada.edit(sent, to: "never for him")
            #expect(try await bob.get(Message.self, sent.path) == stone)

            let seen = try await ada.get(Message.self, sent.path)
            #expect(seen.text == "never for him" && seen.deletedAt == nil && seen.deletedForMe == nil)
            #expect(try await ada.get(Message.self, answer.path).replyTo?.text == "never for him")
            #expect(try await ada.get(ListPage<Message>.self, "\(path)/pins").items.map(\.id) == [sent.id])
        }
    }

    @Test func `the list shows no text of a newest message that is hidden, and the next message comes`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(room.id)"
            let sent = try await ada.say("hidden", in: room.id)
            let first = try await ada.say("newest", in: room.id)
            _ = try await bob.send(.delete, "\(sent.path)?for=me")
            #expect(try await bob.get(Conversation.self, path).lastMessage?.text == "newest")
            let hidden = try await bob.send(.delete, "\(first.path)?for=me")
            let seen = try await bob.get(Conversation.self, path, after: hidden)
            #expect(seen.lastMessage?.id == first.id)
            #expect(seen.lastMessage?.text == nil && seen.lastMessage?.deletedAt != nil)
            // What was not read is counted as before.
            #expect(seen.unreadCount == 2 && seen.headSeq == 2)
            #expect(try await ada.get(Conversation.self, path).lastMessage?.text == "newest")
            let next = try await ada.send(
                .put,
                "\(path)/messages/\(WireID())",
                body: .object(["text": .string("next")])
            )
            let after = try await bob.get(Conversation.self, path, after: next)
            #expect(after.lastMessage?.text == "next" && after.lastMessage?.deletedAt == nil)
        }
    }

    @Test func `repeating it changes nothing, and deleting for everyone comes before it`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("twice", in: room.id)
            let hidden = try await bob.send(.delete, "\(sent.path)?for=me")
            let stone = try await bob.get(Message.self, sent.path, after: hidden)
            #expect(try await bob.send(.delete, "\(sent.path)?for=me").status == .noContent)
            #expect(try await bob.get(Message.self, sent.path) == stone)
            let deletion = try await ada.send(.delete, sent.path)
            let gone = try await bob.get(Message.self, sent.path, after: deletion)
            #expect(gone.deletedBy == ada.id && gone.deletedForMe == nil && gone.revision > stone.revision)
            #expect(try await ada.send(.delete, "\(sent.path)?for=me").status == .noContent)
            #expect(try await ada.get(Message.self, sent.path).deletedBy == ada.id)
        }
    }

    @Test func `it stays hidden from who leaves and comes back, in the list as well`() async throws {
        try await TestServer.with { server in
            let (ada, bob, cem) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Cem")
            )
            let room = try await ada.startGroup(with: [bob, cem])
            let path = "/v1/conversations/\(room.id)"
            let first = try await ada.say("first", in: room.id)
            let sent = try await ada.say("hidden", in: room.id)
            _ = try await bob.send(.delete, "\(sent.path)?for=me")
            let left = try await bob.send(.post, "\(path)/leave")
            let former = try await bob.get(Conversation.self, path, after: left)
            #expect(former.lastMessage?.id == sent.id && former.lastMessage?.text == nil)
            try await bob.send(.delete, "\(first.path)?for=me").expect(.forbidden)
            let back = try await ada.send(.put, "\(path)/participants/\(bob.id)", body: .object([:]))
            let seen = try await bob.get(Conversation.self, path, after: back)
            #expect(seen.lastMessage?.id == sent.id && seen.lastMessage?.text == nil)
            #expect(try await bob.get(Message.self, sent.path).deletedForMe == true)
        }
    }

    @Test func `it cannot be done to what is not there, or not for the caller to see`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let cem = try await server.register("Cem")
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("here", in: room.id)
            try await cem.send(.delete, "\(sent.path)?for=me").expect(.notFound)
            try await bob.send(.delete, "\(Message(sent, id: WireID()).path)?for=me").expect(.notFound)
            try await bob.send(.delete, "\(sent.path)?for=him").expect(.validationFailed, parameter: "for")
        }
    }
}
