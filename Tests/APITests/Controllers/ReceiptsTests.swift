import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@Suite(.database) struct ReceiptsTests {
    private func advance(_ conversation: WireID, delivered: Int64? = nil, read: Int64? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["conversationId": .string("\(conversation)")]
        members["deliveredSeq"] = delivered.map { .number(Double($0)) }
        members["readSeq"] = read.map { .number(Double($0)) }
        return .object(members)
    }

    private func post(_ person: Person, _ advances: JSONValue...) async throws -> [ReceiptsAnswer.Item] {
        try await person.send(.post, "/v1/receipts", body: .object(["receipts": .array(advances)]))
            .decode(ReceiptsAnswer.self, status: .ok).items
    }

    @Test func `marks go forward only, never past the head, and reading is receiving`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for text in ["1", "2", "3"] { try await ada.say(text, in: id) }
            func item(_ delivered: Int64, _ read: Int64, _ unread: Int) -> [ReceiptsAnswer.Item] {
                [ReceiptsAnswer.Item(conversationId: id, deliveredSeq: delivered, readSeq: read, unreadCount: unread)]
            }
            #expect(try await post(bob, advance(id)) == item(0, 0, 3))
            #expect(try await post(bob, advance(id, delivered: 2)) == item(2, 0, 3))
            #expect(try await post(bob, advance(id, read: 1)) == item(2, 1, 2))
            #expect(try await post(bob, advance(id, delivered: 0, read: 0)) == item(2, 1, 2))
            #expect(try await post(bob, advance(id, read: .max / 2)) == item(3, 3, 0))
        }
    }

    @Test func `the own messages are never unread, and the count does not lag`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await ada.say("1", in: id)
            try await bob.say("2", in: id)
            try await ada.say("3", in: id)
            #expect(try await post(bob, advance(id)).map(\.unreadCount) == [2])
            #expect(try await post(bob, advance(id, read: 1)).map(\.unreadCount) == [1])
            #expect(try await post(bob, advance(id, read: 2)).map(\.unreadCount) == [1])
            #expect(try await post(bob, advance(id, read: 3)).map(\.unreadCount) == [0])
        }
    }

    @Test func `who sends and never reads is told what is unread, too`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            // More than the conversation's state keeps of a member's own messages.
            for number in 1...35 {
                try await ada.say("\(number)", in: id)
                try await bob.say("\(number)", in: id)
            }
            #expect(try await post(bob, advance(id)).map(\.unreadCount) == [35])
            #expect(try await post(bob, advance(id, read: 3)).map(\.unreadCount) == [33])
            #expect(try await post(bob, advance(id, read: 70)).map(\.unreadCount) == [0])
        }
    }

    @Test func `each conversation has its item, and what is not there says so`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let direct = try await ada.talk(to: bob).id
            let foreign = try await bob.talk(to: eve).id
            let group = try await bob.startGroup(with: [ada, eve]).id
            try await bob.say("Hi", in: direct)
            _ = try await ada.send(.post, "/v1/conversations/\(group)/leave")
            let unknown = WireID()
            let items = try await post(
                ada,
                advance(direct, delivered: 1),
                advance(unknown, read: 1),
                advance(foreign, read: 1),
                advance(group, read: 1),
                advance(direct, read: 1)
            )
            #expect(
                items == [
                    ReceiptsAnswer.Item(conversationId: direct, deliveredSeq: 1, readSeq: 1, unreadCount: 0),
                    ReceiptsAnswer.Item(conversationId: unknown, code: .notFound),
                    ReceiptsAnswer.Item(conversationId: foreign, code: .notFound),
                    ReceiptsAnswer.Item(conversationId: group, code: .forbidden),
                ]
            )
        }
    }

    @Test func `whoever tells nobody what was read is shown to have received it`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let id = try await ada.talk(to: bob).id
            for text in ["1", "2"] { try await ada.say(text, in: id) }
            func setting(_ isOn: Bool) async throws {
                let body: JSONValue = .object(["settings": .object(["readReceipts": .bool(isOn)])])
                #expect(try await bob.send(.patch, "/v1/me", body: body).status == .ok)
            }
            func statuses(after answer: Answer) async throws -> [MessageStatus?] {
                try await ada.get(HistoryPage.self, "/v1/conversations/\(id)/messages", after: answer).items.map(
                    \.status
                )
            }
            func read(_ seq: Int64) async throws -> Answer {
                let body: JSONValue = .object(["receipts": .array([advance(id, read: seq)])])
                return try await bob.send(.post, "/v1/receipts", body: body)
            }
            try await setting(false)
            let hidden = try await read(1)
            let item = try #require(try hidden.decode(ReceiptsAnswer.self).items.first)
            #expect(item.readSeq == 1 && item.deliveredSeq == 1 && item.unreadCount == 1)
            #expect(try await statuses(after: hidden) == [.delivered, .sent])
            let own = try await bob.get(Conversation.self, "/v1/conversations/\(id)", after: hidden)
            #expect(own.me.readSeq == 1 && own.unreadCount == 1)
            try await setting(true)
            #expect(try await statuses(after: try await read(2)) == [.read, .read])
        }
    }

    @Test func `whoever hides the own reading sees none of that of others until it is shared again`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let id = try await ada.talk(to: bob).id
            let message = try await ada.say("Hi", in: id)
            let path = "/v1/conversations/\(id)/messages"
            func expect(_ status: MessageStatus, readers: Set<WireID>, after answer: Answer) async throws {
                let page = try await ada.get(HistoryPage.self, path, after: answer).items
                let single = try await ada.get(Message.self, "\(path)/\(message.id)")
                for seen in [page.first { $0.id == message.id }, single] {
                    #expect(seen?.status == status)
                    #expect(seen?.deliveredCount == 1)
                    #expect(seen?.deliveredTo?.keys.map(\.self) == [bob.id])
                    #expect(seen?.readCount == readers.count)
                    #expect((seen?.readBy?.keys).map { Set($0) } == readers)
                }
                let receipts = try await ada.get(ListPage<MessageReceipt>.self, "\(path)/\(message.id)/receipts").items
                #expect(receipts.filter { $0.deliveredAt != nil }.map(\.userId) == [bob.id])
                #expect(Set(receipts.filter { $0.readAt != nil }.map(\.userId)) == readers)
            }
            func share(_ isShared: Bool) async throws -> Answer {
                let body: JSONValue = .object(["settings": .object(["readReceipts": .bool(isShared)])])
                let answer = try await ada.send(.patch, "/v1/me", body: body)
                #expect(answer.status == .ok)
                return answer
            }
            let receipts: JSONValue = .object(["receipts": .array([advance(id, read: 1)])])
            let read = try await bob.send(.post, "/v1/receipts", body: receipts)
            try await expect(.read, readers: [bob.id], after: read)
            try await expect(.delivered, readers: [], after: try await share(false))
            // The others see what they saw before.
            let own = try await bob.get(ListPage<MessageReceipt>.self, "\(path)/\(message.id)/receipts").items
            #expect(own.filter { $0.readAt != nil }.map(\.userId) == [bob.id])
            try await expect(.read, readers: [bob.id], after: try await share(true))
        }
    }

    @Test func `the sender sees who has received and read`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            let message = try await ada.say("Hi", in: group)
            _ = try await post(bob, advance(group, read: 1))
            let receipts: JSONValue = .object(["receipts": .array([advance(group, delivered: 1)])])
            let last = try await eve.send(.post, "/v1/receipts", body: receipts)
            let path = "/v1/conversations/\(group)/messages/\(message.id)"
            let seen = try await ada.get(Message.self, path, after: last)
            #expect(seen.status == .delivered)
            #expect(seen.deliveredCount == 2)
            #expect(seen.readCount == 1)
            #expect(seen.readBy?.keys.map(\.self) == [bob.id])
            let page = try await bob.get(ListPage<MessageReceipt>.self, path + "/receipts")
            #expect(Set(page.items.filter { $0.readAt != nil }.map(\.userId)) == [bob.id])
            #expect(Set(page.items.filter { $0.deliveredAt != nil }.map(\.userId)) == [bob.id, eve.id])
        }
    }
}
