import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

@Suite(.database) struct PinsTests {
    /// A group of Ada's with Bob and Eve.
    private static func group(
        _ body: @escaping @Sendable (_ ada: Person, _ bob: Person, _ path: String, _ id: WireID) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            try await body(ada, bob, "/v1/conversations/\(group.id)", group.id)
        }
    }

    @Test func `what is pinned is listed, the newest pin first, until it is not any more`() async throws {
        try await Self.group { ada, bob, path, id in
            var sent: [ParleyWire.Message] = []
            for text in ["one", "two", "three"] { sent.append(try await ada.say(text, in: id)) }
            for message in [sent[2], sent[0], sent[1]] {
                let pinned = try await ada.send(.put, "\(path)/messages/\(message.id)/pin")
                    .decode(Message.self, status: .ok)
                #expect(pinned.pinnedBy == ada.id && pinned.pinnedAt != nil && pinned.revision > message.revision)
            }
            // Again changes nothing.
            let again = try await ada.send(.put, "\(path)/messages/\(sent[2].id)/pin")
            let all = try await bob.get(ListPage<Message>.self, "\(path)/pins", after: again)
            #expect(all.items.map(\.text) == ["two", "one", "three"])
            #expect(all.nextCursor == nil && all.users?[ada.id]?.displayName == "Ada")
            #expect(all.items.allSatisfy { $0.status == nil })
            var paged: [ParleyWire.Message] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await bob.get(ListPage<Message>.self, "\(path)/pins?limit=1\(query)")
                #expect(page.items.count == 1)
                paged += page.items
                cursor = page.nextCursor
            } while cursor != nil
            #expect(paged == all.items)
            for _ in 0..<2 {
                let answer = try await ada.send(.delete, "\(path)/messages/\(sent[0].id)/pin")
                #expect(answer.status == .noContent)
            }
            // What is deleted for everyone is pinned no more.
            let deleted = try await ada.send(.delete, "\(path)/messages/\(sent[1].id)")
            let left = try await bob.get(ListPage<Message>.self, "\(path)/pins", after: deleted)
            #expect(left.items.map(\.text) == ["three"])
            try await ada.send(.put, "\(path)/messages/\(sent[1].id)/pin").expect(.forbidden)
            let unpinned = try await bob.get(Message.self, "\(path)/messages/\(sent[0].id)")
            #expect(unpinned.pinnedAt == nil && unpinned.pinnedBy == nil)
            let history = try await bob.get(HistoryPage.self, "\(path)/messages").items
            #expect(history.filter { $0.kind == .system }.count == 5)
        }
    }

    @Test func `who may pin is the group's choice`() async throws {
        try await Self.group { ada, bob, path, id in
            let sent = try await ada.say("Hi", in: id)
            try await bob.send(.put, "\(path)/messages/\(sent.id)/pin").expect(.forbidden)
            try await bob.send(.delete, "\(path)/messages/\(sent.id)/pin").expect(.forbidden)
            let all: JSONValue = .object(["permissions": .object(["pin": .string("everyone")])])
            _ = try await ada.send(.patch, path, body: all)
            #expect(try await bob.send(.put, "\(path)/messages/\(sent.id)/pin").status == .ok)
            try await bob.send(.put, "\(path)/messages/\(WireID())/pin").expect(.notFound)
            try await bob.send(.put, "\(path)/messages/nothing/pin").expect(.notFound)
            try await bob.send(.get, "\(path)/pins?cursor=nonsense").expect(.validationFailed, parameter: "cursor")
            let page = try await ada.get(HistoryPage.self, "\(path)/messages")
            let system = try #require(page.items.first { $0.kind == .system })
            try await ada.send(.put, "\(path)/messages/\(system.id)/pin").expect(.notFound)
        }
    }

    @Test func `both sides of a direct conversation pin, and its history stays quiet`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let talk = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(talk.id)"
            let sent = try await ada.say("Hi", in: talk.id)
            let pinned = try await bob.send(.put, "\(path)/messages/\(sent.id)/pin")
            #expect(try await ada.get(ListPage<Message>.self, "\(path)/pins", after: pinned).items.count == 1)
            #expect(try await ada.get(HistoryPage.self, "\(path)/messages").items.map(\.kind) == [.text])
        }
    }

    @Test func `of many who pin at once, no more than the limit come through`() async throws {
        try await Self.group { ada, _, path, id in
            var sent: [WireID] = []
            for number in 0..<(ConversationDecider.maxPins + 4) {
                sent.append(try await ada.say("\(number)", in: id).id)
            }
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { tasks in
                for message in sent {
                    tasks.addTask { try await ada.send(.put, "\(path)/messages/\(message)/pin").status }
                }
                return try await tasks.reduce(into: [HTTPResponse.Status]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == ConversationDecider.maxPins)
            #expect(statuses.count { $0 == .unprocessableContent } == 4)
            let page = try await ada.get(ListPage<Message>.self, "\(path)/pins?limit=200")
            #expect(page.items.count == ConversationDecider.maxPins)
            let free = try #require(sent.first { id in !page.items.contains { $0.id == id } })
            try await ada.send(.put, "\(path)/messages/\(free)/pin").expect(.validationFailed, parameter: "messageId")
        }
    }
}
