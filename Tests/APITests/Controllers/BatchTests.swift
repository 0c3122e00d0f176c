import EventStore
import Foundation
import HTTPTypes
import Identity
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// Several messages at once, over HTTP.
@Suite(.database, .timeLimit(.minutes(10))) struct BatchTests {
    private func send(
        _ person: Person,
        _ id: WireID,
        _ messages: [JSONValue],
        key: WireID? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name(ParleyHeader.idempotencyKey) { headers[name] = "\(key)" }
        let path = "/v1/conversations/\(id)/messages"
        return try await person.send(.post, path, headers: headers, body: .object(["messages": .array(messages)]))
    }

    private func message(_ text: String, id: WireID? = nil, replyTo: WireID? = nil) -> JSONValue {
        SecretWatch.add(text)
        var members: [String: JSONValue] = ["text": .string(text)]
        members["id"] = id.map { .string("\($0)") }
        members["replyToId"] = replyTo.map { .string("\($0)") }
        return .object(members)
    }

    private func texts(_ person: Person, _ id: WireID, after answer: Answer? = nil) async throws -> [String?] {
        try await person.get(HistoryPage.self, "/v1/conversations/\(id)/messages?limit=200", after: answer)
            .items.map(\.text)
    }

    @Test func `what was sent is told, though there is no room for large answers`() async throws {
        try await TestServer.with {
            $0.edge.answers = CallerBudget(limit: 0)
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let long: JSONValue = .object(["text": .string(String(repeating: "x", count: 10_000))])
            let answer = try await send(ada, id, Array(repeating: long, count: 10))
            #expect(try answer.decode(MessagesAnswer.self, status: .created).items.count == 10)
            try await ada.send(.get, "/v1/conversations/\(id)/messages").expect(.overloaded)
        }
    }

    @Test func `all are sent, in their order`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let before = try await ada.say("Before", in: id)
            let first = WireID()
            let answer = try await send(
                ada,
                id,
                [
                    message("One", id: first), message("Two", replyTo: first), message("Three", replyTo: before.id),
                ]
            )
            let items = try answer.decode(MessagesAnswer.self, status: .created).items
            #expect(items.map(\.text) == ["One", "Two", "Three"] && items.map(\.seq) == [2, 3, 4])
            #expect(items[0].id == first && items[0].status == .sent && items[0].recipientCount == 1)
            #expect(items[1].replyTo?.id == first && items[1].replyTo?.text == "One")
            #expect(items[2].replyTo?.id == before.id && items[2].replyTo?.seq == 1)
            #expect(try await texts(bob, id, after: answer) == ["Before", "One", "Two", "Three"])
            // Each is a message like others.
            for item in items {
                let path = "/v1/conversations/\(id)/messages/\(item.id)"
                #expect(try await ada.get(Message.self, path) == item)
            }
            let edited = try await ada.send(
                .patch,
                "/v1/conversations/\(id)/messages/\(items[1].id)",
                body: message("Two, corrected")
            )
            #expect(try edited.decode(Message.self, status: .ok).text == "Two, corrected")
            let seen = try await bob.get(ParleyWire.Conversation.self, "/v1/conversations/\(id)", after: edited)
            #expect(seen.unreadCount == 4)
        }
    }

    @Test func `repeated under its key, it is there once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let key = WireID()
            let messages = (1...100).map { message("Number \($0)") }
            let first = try await send(ada, id, messages, key: key).decode(MessagesAnswer.self, status: .created).items
            #expect(first.count == 100 && Set(first.map(\.id)).count == 100)
            let again = try await send(ada, id, messages, key: key)
            #expect(try again.decode(MessagesAnswer.self, status: .ok).items == first)
            #expect(try await texts(ada, id, after: again).count == 100)
            try await send(ada, id, Array(messages.dropLast()), key: key).expect(.idConflict)
            try await send(ada, id, [message("Else")] + messages.dropFirst(), key: key).expect(.idConflict)
            let single = try await ada.send(
                .post,
                "/v1/conversations/\(id)/messages",
                headers: [try #require(HTTPField.Name(ParleyHeader.idempotencyKey)): "\(key)"],
                body: message("Number 1")
            )
            try single.expect(.idConflict)
        }
    }

    @Test func `repeated with its ids, it is there once, as it is now`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let messages = (1...3).map { message("Text \($0)", id: WireID()) }
            let first = try await send(ada, id, messages).decode(MessagesAnswer.self, status: .created).items
            _ = try await ada.send(.delete, "/v1/conversations/\(id)/messages/\(first[1].id)")
            let again = try await send(ada, id, messages).decode(MessagesAnswer.self, status: .ok).items
            #expect(again.map(\.id) == first.map(\.id) && again.map(\.seq) == first.map(\.seq))
            #expect(again.map(\.text) == ["Text 1", nil, "Text 3"] && again[1].deletedAt != nil)
        }
    }

    @Test func `where one cannot be sent, none is`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.talk(to: bob).id
            let taken = try await bob.say("Taken", in: id)
            // Wherever the id stands that is in use.
            for place in 0..<3 {
                let messages = (0..<3).map { message("Text \($0)", id: $0 == place ? taken.id : WireID()) }
                try await send(ada, id, messages).expect(.idConflict)
                try await send(eve, id, messages).expect(.notFound)
            }
            let own = (1...2).map { _ in WireID() }
            _ = try await send(ada, id, [message("Mine", id: own[0]), message("Mine, too", id: own[1])])
            try await send(ada, id, [message("New", id: WireID()), message("Mine, too", id: own[1])])
                .expect(.idConflict)
            var sent: Answer?
            for replyTo in [WireID(), own[1]] {
                // What comes after can be answered as little as what is nowhere.
                let answer = try await send(
                    ada,
                    id,
                    [message("New"), message("Newer", replyTo: replyTo == own[1] ? nil : replyTo)]
                )
                if replyTo == own[1] {
                    #expect(answer.status == .created)
                    sent = answer
                } else {
                    try answer.expect(.validationFailed, pointer: "/messages/1/replyToId")
                }
            }
            let later = WireID()
            try await send(ada, id, [message("First", replyTo: later), message("Second", id: later)])
                .expect(.validationFailed, pointer: "/messages/0/replyToId")
            #expect(try await texts(ada, id, after: sent) == ["Taken", "Mine", "Mine, too", "New", "Newer"])
        }
    }

    @Test func `of batches that share an id, one is sent`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let shared = WireID()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await send(ada, id, [message("A \(number)"), message("B \(number)", id: shared)])
                    }
                }
                // Others in the same conversation are not held up.
                group.addTask { try await send(bob, id, [message("Meanwhile")]) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == .created } == 2)
            for answer in answers where answer.status != .created { try answer.expect(.idConflict) }
            let page = try await ada.get(
                HistoryPage.self,
                "/v1/conversations/\(id)/messages",
                after: answers.last { $0.status == .created }
            )
            #expect(page.items.map(\.seq) == [1, 2, 3])
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await send(ada, id, []).expect(.validationFailed, pointer: "/messages")
            let many = (0...SendMessagesFields.maxMessages).map { _ in message("Hi") }
            try await send(ada, id, many).expect(.validationFailed, pointer: "/messages")
            try await send(ada, id, [message("Hi"), .string("Hi")]).expect(.validationFailed, pointer: "/messages/1")
            try await send(ada, id, [message("Hi"), message(" ")])
                .expect(.validationFailed, pointer: "/messages/1/text")
            let twice = WireID()
            try await send(ada, id, [message("Hi", id: twice), message("Ho", id: twice)])
                .expect(.validationFailed, pointer: "/messages/1/id")
            let derived = WireID(DerivedID.directConversation(ada.id.uuid, bob.id.uuid))
            try await send(ada, id, [message("Hi", id: derived)]).expect(.validationFailed, pointer: "/messages/0/id")
            #expect(try await texts(ada, id).isEmpty)
        }
    }

    @Test func `a caller sends only so many at once`() async throws {
        try await TestServer.with {
            $0.rates = [.batch: RateLimit(2, per: .seconds(3_600))]
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            for _ in 0..<2 { #expect(try await send(ada, id, [message("Hi")]).status == .created) }
            try await send(ada, id, [message("Hi")]).expect(.rateLimited)
            _ = try await ada.say("One by one", in: id)
        }
    }

    @Test func `the stream tells each`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let stream = try await server.readyStream(of: people[1])
            let since = stream.lastID
            let messages = (0..<3).map { number in
                SendMessage(
                    messageID: UUID(),
                    sender: people[0].id,
                    text: "Text \(number)",
                    replyTo: nil,
                    mentions: [],
                    clientTimestamp: nil
                )
            }
            let context = CommandContext(
                commandID: messages[0].messageID,
                furtherIDs: messages.dropFirst().map(\.messageID),
                actor: people[0].id,
                now: Date()
            )
            for _ in 0..<2 {
                _ = try await server.eventStore.handle(
                    .sendMessages(SendMessages(messages: messages)),
                    of: ConversationDecider.self,
                    on: group,
                    context: context,
                    answer: { _ in }
                )
            }
            for number in 0..<3 { #expect(try await stream.nextText() == "Text \(number)") }
            let resumed = try await server.stream(of: people[1], since: since)
            for number in 0..<3 { #expect(try await resumed.nextText() == "Text \(number)") }
        }
    }
}
