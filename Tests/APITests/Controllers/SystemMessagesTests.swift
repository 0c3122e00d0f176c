import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

@Suite(.database) struct SystemMessagesTests {
    private static func text(_ message: Message, _ name: String) -> String? {
        guard case .object(let members) = message.data, case .string(let text) = members[name] else { return nil }
        return text
    }

    private static func members(_ message: Message, _ name: String) -> [String: JSONValue] {
        guard case .object(let members) = message.data, case .object(let inner) = members[name] else { return [:] }
        return inner
    }

    @Test func `what happens to a group stands in its history, and counts nowhere`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve"),
                try await server.register("Dan")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            try await ada.say("Hello", in: group.id)
            _ = try await ada.send(.put, "\(path)/participants/\(dan.id)")
            _ = try await ada.send(.put, "\(path)/participants/\(dan.id)", body: .object(["role": .string("admin")]))
            _ = try await ada.send(.patch, path, body: .object(["groupName": .string("Old friends")]))
            let image = try await ada.upload(try SampleImage.bytes("alpha.png"), "kind=image", type: "image/png")
            let changed = try await ada.send(.patch, path, body: .object(["groupIcon": .string("\(image.id)")]))
            let icon = try #require(try changed.decode(Conversation.self).groupIcon)
            _ = try await ada.send(.patch, path, body: .object(["historyVisibility": .string("joined")]))
            try await bob.say("Hi", in: group.id)
            _ = try await ada.send(.delete, "\(path)/participants/\(dan.id)")
            let last = try await eve.send(.post, "\(path)/leave")
            let page = try await bob.get(HistoryPage.self, "\(path)/messages", after: last)
            #expect(
                page.items.map { Self.text($0, "event") } == [
                    "groupCreated", nil, "participantAdded", "participantRoleChanged", "groupUpdated", "groupUpdated",
                    "groupUpdated", nil, "participantRemoved", "participantLeft",
                ]
            )
            #expect(page.items.map(\.seq) == [nil, 1, nil, nil, nil, nil, nil, 2, nil, nil])
            #expect(page.users?[dan.id]?.displayName == "Dan")
            let role = page.items[3]
            #expect(role.kind == .system && role.text == nil && role.senderId == ada.id && role.localId == role.id)
            #expect(Self.text(role, "actorId") == "\(ada.id)" && Self.text(role, "role") == "admin")
            #expect(Self.members(page.items[4], "changes") == ["groupName": .string("Old friends")])
            #expect(Self.members(page.items[5], "changes") == ["groupIcon": .string(icon)])
            #expect(Self.members(page.items[6], "changes") == ["historyVisibility": .string("joined")])
            #expect(page.items.filter { $0.kind == .system }.allSatisfy { $0.status == nil && $0.readBy == nil })
            let seen = try await ada.get(Conversation.self, path)
            #expect(seen.headSeq == 2 && seen.unreadCount == 1 && seen.lastMessage?.text == "Hi")
            #expect(try await bob.get(Message.self, "\(path)/messages/\(role.id)") == role)
            let around = try await bob.get(HistoryPage.self, "\(path)/messages?around=\(role.id)&limit=3")
            #expect(around.items == Array(page.items[2...4]))
        }
    }

    @Test func `a history is read in pieces without a hole and without a double`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            var last: Answer?
            for number in 1...5 {
                try await ada.say("\(number)", in: group.id)
                last = try await ada.send(.patch, path, body: .object(["groupName": .string("Group \(number)")]))
            }
            let whole = try await bob.get(HistoryPage.self, "\(path)/messages", after: last).items
            #expect(whole.count == 11)
            var page = try await bob.get(HistoryPage.self, "\(path)/messages?limit=2")
            var items = page.items
            while let cursor = page.page.olderCursor {
                page = try await bob.get(HistoryPage.self, "\(path)/messages?limit=2&before=\(cursor)")
                items = page.items + items
            }
            #expect(items == whole)
            items = page.items
            while let cursor = page.page.newerCursor {
                page = try await bob.get(HistoryPage.self, "\(path)/messages?limit=3&after=\(cursor)")
                items += page.items
            }
            #expect(items == whole)
        }
    }

    @Test func `nobody changes, answers or reads receipts of what a history tells by itself`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)/messages"
            let sent = try await ada.send(.post, path, body: .object(["text": .string("Hi")]))
            let page = try await ada.get(HistoryPage.self, path, after: sent)
            let id = try #require(page.items.first { $0.kind == .system }).id
            try await ada.send(.patch, "\(path)/\(id)", body: .object(["text": .string("Ho")])).expect(.notFound)
            try await ada.send(.delete, "\(path)/\(id)").expect(.notFound)
            try await ada.send(.put, "\(path)/\(id)/reactions/%F0%9F%91%8D").expect(.notFound)
            try await ada.send(.get, "\(path)/\(id)/receipts").expect(.notFound)
            try await ada.send(.get, "\(path)/\(id)/history").expect(.notFound)
            let answer: JSONValue = .object(["text": .string("What?"), "replyToId": .string("\(id)")])
            try await ada.send(.post, path, body: answer).expect(.validationFailed)
            // The id cannot be taken either.
            let taken = try await ada.send(.put, "\(path)/\(id)", body: .object(["text": .string("Mine")]))
            try taken.expect(.validationFailed)
        }
    }

    @Test func `who came later sees what came since where the group wants it so, a stranger nothing`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register(), try await server.register(), try await server.register(),
                try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            let joined: JSONValue = .object(["historyVisibility": .string("joined")])
            _ = try await ada.send(.patch, path, body: joined)
            let added = try await ada.send(.put, "\(path)/participants/\(dan.id)")
            let seen = try await dan.get(HistoryPage.self, "\(path)/messages", after: added)
            #expect(seen.items.map { Self.text($0, "event") } == ["participantAdded"])
            #expect(!seen.page.hasOlder)
            let all = try await ada.get(HistoryPage.self, "\(path)/messages").items
            #expect(all.count == 3)
            try await dan.send(.get, "\(path)/messages/\(all[0].id)").expect(.notFound)
            try await dan.send(.get, "\(path)/messages?around=\(all[0].id)").expect(.notFound)
            let stranger = try await server.register()
            try await stranger.send(.get, "\(path)/messages/\(all[0].id)").expect(.notFound)
        }
    }

    @Test func `direct conversations tell of nothing but messages`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let talk = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(talk.id)/messages"
            let sent = try await ada.send(.post, path, body: .object(["text": .string("Hi")]))
            #expect(try await bob.get(HistoryPage.self, path, after: sent).items.map(\.kind) == [.text])
        }
    }
}
