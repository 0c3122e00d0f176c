import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// Editing, deleting and reacting over HTTP.
@Suite(.database) struct MessageChangesTests {
    @Test func `an edited message says so, and keeps what it said`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("first", in: room.id)
            var last = sent
            for text in ["second", "third"] {
                let message = try await ada.edit(sent, to: text).decode(Message.self, status: .ok)
                #expect(message.text == text)
                #expect(message.seq == sent.seq)
                #expect(message.timestamp == sent.timestamp)
                #expect(message.editedAt != nil)
                #expect(message.revision > last.revision)
                last = message
            }
            let seen = try await bob.get(Message.self, sent.path)
            #expect(seen.text == "third")
            #expect(seen.status == nil)
            let history = try await bob.get(ListPage<MessageVersion>.self, "\(sent.path)/history")
            #expect(history.items.map(\.text) == ["first", "second"])
            #expect(history.items.first?.timestamp == sent.timestamp)
            let list = try await bob.get(ListPage<Conversation>.self, "/v1/conversations")
            #expect(list.items.first?.lastMessage?.text == "third")
            #expect(list.items.first?.unreadCount == 1)
            // A repeated send is the message as it is now.
            let again = try await ada.send(.put, sent.path, body: .object(["text": .string("first")]))
                .decode(Message.self, status: .ok)
            #expect(again.text == "third")
        }
    }

    @Test func `an edit to what a message says already makes no version of it`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("first", in: room.id)
            let same = try await ada.edit(sent, to: "first").decode(Message.self, status: .ok)
            #expect(same.editedAt == nil && same.revision == sent.revision)
            let edited = try await ada.edit(sent, to: "caf\u{E9}").decode(Message.self, status: .ok)
            let events = try await server.eventStore.log.heads().reduce(0, +)
            let again = try await ada.edit(sent, to: "caf\u{E9}").decode(Message.self, status: .ok)
            #expect(again.text == "caf\u{E9}")
            #expect(again.revision == edited.revision && again.editedAt == edited.editedAt)
            #expect(try await server.eventStore.log.heads().reduce(0, +) == events)
            // Another text, to Unicode the same.
            #expect(try await ada.edit(sent, to: "cafe\u{301}").status == .ok)
            #expect(try await ada.edit(sent, to: "first").status == .ok)
            let history = try await bob.get(ListPage<MessageVersion>.self, "\(sent.path)/history")
            #expect(history.items.map(\.text) == ["first", "caf\u{E9}", "cafe\u{301}"])
        }
    }

    @Test func `an edit follows the rules of a text, of its author and of its time`() async throws {
        try await TestServer.with {
            $0.server.limits.editWindowSeconds = 0
        } _: { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("first", in: room.id)
            try await ada.edit(sent, to: " \n").expect(.validationFailed, pointer: "/text")
            try await ada.edit(sent, to: String(repeating: "x", count: 10_001)).expect(
                .validationFailed,
                pointer: "/text"
            )
            try await bob.edit(sent, to: "not mine").expect(.forbidden)
            try await ada.edit(sent, to: "too late").expect(.forbidden)
            try await ada.edit(Message(sent, id: WireID()), to: "about nothing").expect(.notFound)
            let again = try await ada.send(.put, sent.path, body: .object(["text": .string("first")]))
            #expect(try await ada.get(Message.self, sent.path, after: again).text == "first")
        }
    }

    @Test func `of a deleted message a tombstone stays, and quotes lose its text`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            let sent = try await ada.say("to be deleted", in: room.id)
            _ = try await ada.edit(sent, to: "edited and to be deleted")
            let answer = try await bob.send(
                .put,
                "/v1/conversations/\(room.id)/messages/\(WireID())",
                body: .object(["text": .string("about it"), "replyToId": .string("\(sent.id)")])
            )
            let before = try await bob.get(HistoryPage.self, "/v1/conversations/\(room.id)/messages", after: answer)
            #expect(before.items.last?.replyTo?.text == "edited and to be deleted")
            _ = try await bob.send(.put, "\(sent.path)/reactions/%F0%9F%91%8D")
            try await bob.send(.delete, sent.path).expect(.forbidden)
            #expect(try await ada.send(.delete, "\(sent.path)?for=everyone").status == .noContent)
            let deletion = try await ada.send(.delete, sent.path)
            #expect(deletion.status == .noContent)
            let page = try await bob.get(HistoryPage.self, "/v1/conversations/\(room.id)/messages", after: deletion)
            let stone = try #require(page.items.first { $0.kind == .text })
            #expect(stone.id == sent.id)
            #expect(stone.text == nil)
            #expect(stone.deletedAt != nil)
            #expect(stone.deletedBy == ada.id)
            #expect(stone.reactions.isEmpty)
            #expect(page.items.last?.replyTo?.text == nil)
            #expect(page.items.last?.replyTo?.id == sent.id)
            #expect(try await bob.get(ListPage<MessageVersion>.self, "\(sent.path)/history").items.isEmpty)
            #expect(try await bob.get(Conversation.self, "/v1/conversations/\(room.id)").unreadCount == 0)
            try await ada.edit(sent, to: "once again").expect(.forbidden)
            try await bob.send(.put, "\(sent.path)/reactions/%F0%9F%91%8D").expect(.forbidden)
            try await ada.send(.delete, "\(sent.path)?for=nobody").expect(.validationFailed, parameter: "for")
            // The id is taken for ever.
            let repeated = try await ada.send(.put, sent.path, body: .object(["text": .string("to be deleted")]))
                .decode(Message.self, status: .ok)
            #expect(repeated.deletedAt != nil)
        }
    }

    @Test func `an admin deletes what others said, and they are shown by whom`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let room = try await ada.startGroup(with: [bob, eve])
            let admin: JSONValue = .object(["role": .string("admin")])
            _ = try await ada.send(.put, "/v1/conversations/\(room.id)/participants/\(bob.id)", body: admin)
            let owners = try await ada.say("said by the owner", in: room.id)
            let members = try await eve.say("said by a member", in: room.id)
            try await eve.send(.delete, owners.path).expect(.forbidden)
            for sent in [owners, members] {
                let deletion = try await bob.send(.delete, sent.path)
                #expect(deletion.status == .noContent)
                let stone = try await eve.get(Message.self, sent.path, after: deletion)
                #expect(stone.text == nil && stone.deletedAt != nil && stone.deletedBy == bob.id)
            }
        }
    }

    @Test func `unread and mention counts go down with a deleted message, at once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            var sent: [Message] = []
            for number in 0..<4 { sent.append(try await ada.say("number \(number)", in: room.id)) }
            let mention = try await ada.send(
                .put,
                "/v1/conversations/\(room.id)/messages/\(WireID())",
                body: .object(["text": .string("@Bob"), "mentions": .array([.string("\(bob.id)")])])
            ).decode(Message.self)
            _ = try await ada.send(.delete, sent[0].path)
            _ = try await ada.send(.delete, sent[2].path)
            let deletion = try await ada.send(.delete, mention.path)
            // The command's answer never lags.
            let mark: JSONValue = .object(["conversationId": .string("\(room.id)"), "deliveredSeq": .number(5)])
            let receipts = try await bob.send(.post, "/v1/receipts", body: .object(["receipts": .array([mark])]))
                .decode(ReceiptsAnswer.self)
            #expect(receipts.items.first?.unreadCount == 2)
            let path = "/v1/conversations/\(room.id)"
            let conversation = try await bob.get(Conversation.self, path, after: deletion)
            #expect(conversation.unreadCount == 2)
            #expect(conversation.mentionCount == 0)
            #expect(conversation.firstUnreadSeq == 2)
            #expect(conversation.lastMessage?.deletedAt != nil)
            let around = try await bob.get(HistoryPage.self, "\(path)/messages?around=unread&limit=1")
            #expect(around.items.first?.seq == 2)
        }
    }

    @Test func `what is deleted is not counted in the log either`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            // Too many runs of own messages for the conversation's state to remember.
            for number in 0..<40 {
                let sent = try await ada.say("of ada \(number)", in: room.id)
                let own = try await bob.say("of bob \(number)", in: room.id)
                guard number % 10 == 0 else { continue }
                _ = try await ada.send(.delete, sent.path)
                _ = try await bob.send(.delete, own.path)
            }
            let mark: JSONValue = .object(["conversationId": .string("\(room.id)"), "readSeq": .number(2)])
            let receipts = try await bob.send(.post, "/v1/receipts", body: .object(["receipts": .array([mark])]))
                .decode(ReceiptsAnswer.self)
            #expect(receipts.items.first?.unreadCount == 36)
        }
    }

    @Test func `reactions are counted by kind, and say which are mine`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let eve = try await server.register("Eve")
            let room = try await ada.startGroup(with: [bob, eve])
            let sent = try await ada.say("Hi all", in: room.id)
            try await bob.send(.put, "\(sent.path)/reactions/%25F0%259F%2591%258D").expect(.validationFailed)
            let thumb = "\(sent.path)/reactions/%F0%9F%91%8D"
            _ = try await bob.send(.put, thumb).decode(Message.self, status: .ok)
            // Two spellings of one heart.
            for heart in ["%E2%9D%A4", "%E2%9D%A4%EF%B8%8F"] {
                _ = try await bob.send(.put, "\(sent.path)/reactions/\(heart)").decode(Message.self, status: .ok)
            }
            let seen = try await eve.send(.put, thumb).decode(Message.self, status: .ok)
            #expect(
                seen.reactions == [
                    Reaction(emoji: "\u{1F44D}", count: 2, mine: true, userIds: [bob.id, eve.id]),
                    Reaction(emoji: "\u{2764}\u{FE0F}", count: 1, mine: false, userIds: [bob.id]),
                ]
            )
            #expect(seen.revision > sent.revision)
            #expect(try await bob.send(.delete, thumb).status == .noContent)
            let again = try await bob.send(.delete, thumb)
            #expect(again.status == .noContent)
            let left = try await ada.get(Message.self, sent.path, after: again)
            #expect(left.reactions.map(\.count) == [1, 1])
            #expect(left.reactions.allSatisfy { !$0.mine })
            for path in ["x", "%F0%9F%91%8D%F0%9F%91%8D", "1", "%00", "%FF"] {
                let answer = try await bob.send(.put, "\(sent.path)/reactions/\(path)")
                #expect([.unprocessableContent, .notFound].contains(answer.status), "\(path)")
            }
        }
    }

    @Test func `a message has twenty kinds of reactions at most, asked for at once as well`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let sent = try await ada.say("Hi", in: try await ada.talk(to: bob).id)
            // Faces, from U+1F600 on.
            let faces = (0..<24).map { "\(sent.path)/reactions/%F0%9F%98%\(String(0x80 + $0, radix: 16))" }
            let answers = try await withThrowingTaskGroup(of: Answer.self) { tasks in
                for face in faces { tasks.addTask { try await bob.send(.put, face) } }
                return try await tasks.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == .ok } == 20)
            for answer in answers where answer.status != .ok {
                try answer.expect(.validationFailed, parameter: "emoji")
            }
            let message = try await ada.get(Message.self, sent.path)
            let given = Set(message.reactions.map(\.emoji))
            #expect(given.count == 20)
            // Of a kind that is there, more are welcome.
            for (place, face) in faces.enumerated() {
                let emoji = Unicode.Scalar(0x1F600 + UInt32(place)).map { String(Character($0)) } ?? ""
                #expect(try await ada.send(.put, face).status == (given.contains(emoji) ? .ok : .unprocessableContent))
            }
        }
    }

    @Test func `the same reaction at once is one, and all of many are kept`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let eve = try await server.register("Eve")
            let room = try await ada.startGroup(with: [bob, eve])
            let sent = try await ada.say("Hi all", in: room.id)
            // Each flag is given twice by each.
            let flags = (0..<12).map {
                "\(sent.path)/reactions/%F0%9F%87%A6%F0%9F%87%\(String(0xA6 + $0 % 6, radix: 16))"
            }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for person in [ada, bob, eve] {
                    for flag in flags {
                        tasks.addTask {
                            let answer = try await person.send(.put, flag)
                            #expect(answer.status == .ok, "\(answer.text)")
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            let message = try await ada.get(Message.self, sent.path)
            #expect(message.reactions.map(\.count) == Array(repeating: 3, count: 6))
            let events = try await server.eventStore.log.heads().reduce(0, +)
            for flag in flags { _ = try await ada.send(.put, flag) }
            #expect(try await server.eventStore.log.heads().reduce(0, +) == events, "nothing new, and stored")
        }
    }

    @Test func `an edit against a deletion leaves a tombstone or is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let room = try await ada.talk(to: bob)
            for number in 0..<10 {
                let sent = try await ada.say("number \(number)", in: room.id)
                async let edit = ada.edit(sent, to: "edited \(number)")
                async let delete = ada.send(.delete, sent.path)
                let (edited, deleted) = (try await edit, try await delete)
                #expect(deleted.status == .noContent)
                #expect([.ok, .forbidden].contains(edited.status), "\(edited.text)")
                let message = try await bob.get(Message.self, sent.path, after: deleted)
                #expect(message.deletedAt != nil)
                #expect(message.text == nil)
            }
        }
    }
}
