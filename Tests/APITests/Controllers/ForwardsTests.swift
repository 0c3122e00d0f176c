import EventStore
import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Passing messages on, over HTTP and the stream.
@Suite(.database, .timeLimit(.minutes(10))) struct ForwardsTests {
    private func forward(
        _ person: Person,
        _ message: Message,
        to targets: [WireID],
        key: WireID? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name(ParleyHeader.idempotencyKey) { headers[name] = "\(key)" }
        return try await person.send(
            .post,
            "/v1/conversations/\(message.conversationId)/messages/\(message.id)/forward",
            headers: headers,
            body: .object(["conversationIds": .array(targets.map { .string("\($0)") })])
        )
    }

    @Test func `a message is passed on, and its readers hear neither from where nor from whom`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let source = try await bob.talk(to: ada).id
            let message = try await bob.say("Pass it on", in: source)
            let direct = try await ada.talk(to: eve).id
            let group = try await ada.startGroup(with: [bob, eve]).id
            let answer = try await forward(ada, message, to: [direct, group, direct])
            let items = try answer.decode(ForwardAnswer.self, status: .ok).items
            #expect(items.map(\.conversationId) == [direct, group] && items.allSatisfy { $0.code == nil })
            for item in items {
                let sent = try #require(item.message)
                #expect(sent.senderId == ada.id && sent.text == "Pass it on" && sent.forwardedFrom?.hops == 1)
                let path = "/v1/conversations/\(item.conversationId)/messages/\(sent.id)"
                #expect(try await ada.get(Message.self, path, after: answer) == sent)
                let seen = try await eve.send(.get, path)
                #expect(try seen.decode(Message.self).forwardedFrom == ForwardedFrom(hops: 1))
                #expect(!seen.text.contains("\(source)") && !seen.text.contains("\(message.id)"))
            }
            // Once more, from there.
            let again = try await forward(eve, try #require(items[0].message), to: [group])
            #expect(try again.decode(ForwardAnswer.self).items.first?.message?.forwardedFrom?.hops == 2)
            // What was written where it stands says nothing of it.
            #expect(try await bob.get(Message.self, "/v1/conversations/\(source)/messages/\(message.id)") == message)
            let unread = try await bob.get(ParleyWire.Conversation.self, "/v1/conversations/\(group)", after: again)
                .unreadCount
            #expect(unread == 2)
        }
    }

    @Test func `one that fails stops none of the others`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let source = try await ada.talk(to: bob).id
            let message = try await bob.say("Hi", in: source)
            let theirs = try await bob.talk(to: eve).id
            let left = try await bob.startGroup(with: [ada, eve]).id
            _ = try await bob.send(.delete, "/v1/conversations/\(left)/participants/\(ada.id)")
            let open = try await ada.startGroup(with: [bob, eve]).id
            let items = try await forward(ada, message, to: [theirs, WireID(), left, open])
                .decode(ForwardAnswer.self, status: .ok).items
            #expect(items.map(\.code) == ["notFound", "notFound", "forbidden", nil])
            #expect(items.map { $0.message?.text } == [nil, nil, nil, "Hi"])
        }
    }

    @Test func `repeated under its key, each is there once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let source = try await ada.talk(to: bob).id
            let (message, other) = (try await ada.say("One", in: source), try await ada.say("Two", in: source))
            let groups = [
                try await ada.startGroup(with: [bob, try await server.register()]).id,
                try await ada.startGroup(with: [bob, try await server.register()]).id,
            ]
            let key = WireID()
            let first = try await forward(ada, message, to: [groups[0]], key: key).decode(ForwardAnswer.self).items
            // Also where the text is another one by now, and more are asked.
            _ = try await ada.send(
                .patch,
                "/v1/conversations/\(source)/messages/\(message.id)",
                body: .object(["text": .string("One, corrected")])
            )
            let again = try await forward(ada, message, to: groups, key: key).decode(ForwardAnswer.self).items
            #expect(again[0] == first[0] && again[1].message?.text == "One, corrected")
            let conflict = try await forward(ada, other, to: groups, key: key).decode(ForwardAnswer.self).items
            #expect(conflict.map(\.code) == ["idConflict", "idConflict"])
        }
    }

    @Test func `repeated under its key, it is found there though its source is gone`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let source = try await bob.talk(to: ada).id
            let groups = [
                try await ada.startGroup(with: [bob, try await server.register()]).id,
                try await ada.startGroup(with: [bob, try await server.register()]).id,
            ]
            let (deleted, hidden) = (try await bob.say("One", in: source), try await bob.say("Two", in: source))
            for (message, remover) in [(deleted, bob), (hidden, ada)] {
                let key = WireID()
                let first = try await forward(ada, message, to: [groups[0]], key: key)
                    .decode(ForwardAnswer.self, status: .ok).items
                let scope = message.id == hidden.id ? "me" : "everyone"
                #expect(try await remover.send(.delete, "\(message.path)?for=\(scope)").status == .noContent)
                let again = try await forward(ada, message, to: groups, key: key)
                    .decode(ForwardAnswer.self, status: .ok).items
                #expect(again.map(\.conversationId) == groups && again[0] == first[0])
                #expect(again[1].message == nil && again[1].code != nil)
                // Another message under the same key is not what was sent.
                let other = try await bob.say("Three", in: source)
                let conflict = try await forward(ada, other, to: [groups[0]], key: key).decode(ForwardAnswer.self).items
                #expect(conflict.map(\.code) == ["idConflict"])
                #expect(try await forward(ada, message, to: groups).status.code >= 400)
            }
        }
    }

    @Test func `what the caller may not see, or what is gone, is not passed on`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let source = try await ada.talk(to: bob).id
            let message = try await bob.say("Between us", in: source)
            let own = try await eve.talk(to: ada).id
            try await forward(eve, message, to: [own]).expect(.notFound)
            _ = try await bob.send(.delete, "/v1/conversations/\(source)/messages/\(message.id)")
            try await forward(ada, message, to: [own]).expect(.forbidden)
            let kept = try await bob.say("Kept", in: source)
            try await forward(ada, kept, to: []).expect(.validationFailed, pointer: "/conversationIds")
            let many = (0...ForwardsController.maxConversations).map { _ in WireID() }
            try await forward(ada, kept, to: many).expect(.validationFailed, pointer: "/conversationIds")
        }
    }

    @Test func `a text that was taken before it had to be seen is passed on as it is`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let source = try await ada.talk(to: bob).id
            let group = try await ada.startGroup(with: [bob, try await server.register()]).id
            let (id, text) = (UUID(), "\u{200B}\u{2060}")
            let old = SendMessage(
                messageID: id,
                sender: bob.id.uuid,
                text: text,
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil
            )
            _ = try await server.eventStore.handle(
                .send(old),
                of: ConversationDecider.self,
                on: source.uuid,
                context: CommandContext(commandID: id, actor: bob.id.uuid, now: Date()),
                answer: { _ in }
            )
            let items = try await ada.send(
                .post,
                "/v1/conversations/\(source)/messages/\(WireID(id))/forward",
                body: .object(["conversationIds": .array([.string("\(group)")])])
            ).decode(ForwardAnswer.self, status: .ok).items
            #expect(items.map(\.code) == [nil])
            #expect(items.first?.message?.text == text && items.first?.message?.forwardedFrom?.hops == 1)
        }
    }

    @Test func `the stream tells that it was passed on, until it is deleted`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let stream = try await server.readyStream(of: people[1])
            let since = stream.lastID
            let id = UUID()
            let send = SendMessage(
                messageID: id,
                sender: people[0].id,
                text: "Pass it on",
                replyTo: nil,
                mentions: [],
                clientTimestamp: nil,
                hops: 7
            )
            SecretWatch.add("Pass it on")
            try await server.command(.send(send), on: group, by: people[0].id, as: id)
            let live = try await stream.next(.messageCreated)
            guard case .messageCreated(let created) = live else { return }
            #expect(created.message.forwardedFrom == ForwardedFrom(hops: 7))
            let resumed = try await server.stream(of: people[1], since: since)
            #expect(try await resumed.next(.messageCreated) == live)
            try await server.change(id, by: .delete, people[0], in: group)
            guard case .messageDeleted(let deleted) = try await stream.next(.messageDeleted) else { return }
            #expect(deleted.message.forwardedFrom == nil)
        }
    }
}
