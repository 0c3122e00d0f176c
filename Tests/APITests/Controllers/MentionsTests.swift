import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Mentions of everyone, over HTTP.
@Suite(.database) struct MentionsTests {
    private let clock = TestClock()

    private struct Scene: Sendable {
        let server: TestServer
        /// The owner, an admin and a member.
        let ada: Person
        let bob: Person
        let eve: Person
        let group: WireID

        var path: String { "/v1/conversations/\(group)" }

        func body(_ text: String, _ mentions: [String]) -> JSONValue {
            SecretWatch.add(text)
            return .object(["text": .string(text), "mentions": .array(mentions.map { .string($0) })])
        }

        func send(
            _ text: String,
            _ mentions: [String],
            by person: Person,
            id: WireID = WireID(),
            in conversation: WireID? = nil
        ) async throws -> Answer {
            let path = "/v1/conversations/\(conversation ?? group)/messages/\(id)"
            return try await person.send(.put, path, body: body(text, mentions))
        }

        func counts(of person: Person, after answer: Answer? = nil) async throws -> [Int] {
            let seen = try await person.get(Conversation.self, path, after: answer)
            return [seen.unreadCount, seen.mentionCount]
        }

        /// The conversations that the list has under `mentions`.
        func mentioned(_ person: Person, after answer: Answer? = nil) async throws -> [WireID] {
            let list = "/v1/conversations?filter=mentions"
            return try await person.get(ListPage<Conversation>.self, list, after: answer).items.map(\.id)
        }
    }

    private func serve(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        try await TestServer.with({ $0.clock = clock.command }) { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            let role: JSONValue = .object(["role": .string("admin")])
            _ = try await ada.send(.put, "/v1/conversations/\(group)/participants/\(bob.id)", body: role)
            try await body(Scene(server: server, ada: ada, bob: bob, eve: eve, group: group))
        }
    }

    @Test func `everyone is mentioned first, once, and counted by all others once`() async throws {
        try await serve { scene in
            let (ada, bob, eve) = (scene.ada, scene.bob, scene.eve)
            let sent = try await scene.send("All", ["\(eve.id)", "@all", "@all"], by: bob)
            let message = try sent.decode(Message.self, status: .created)
            #expect(message.mentions == [.all, .user(eve.id)])
            let shown = try await ada.get(Message.self, message.path, after: sent)
            #expect(shown.mentions == message.mentions)
            #expect(try await scene.counts(of: ada) == [1, 1])
            #expect(try await scene.counts(of: eve) == [1, 1])
            #expect(try await scene.counts(of: bob) == [0, 0])
            #expect(try await scene.mentioned(eve) == [scene.group])
            #expect(try await scene.mentioned(bob) == [])
            let read = try await eve.send(
                .post,
                "/v1/receipts",
                body: .object([
                    "receipts": .array([.object(["conversationId": .string("\(scene.group)"), "readSeq": .number(1)])])
                ])
            )
            #expect(try await scene.counts(of: eve, after: read) == [0, 0])
            #expect(try await scene.mentioned(eve) == [])
            let unread = try await eve.send(.post, "\(scene.path)/unread", body: .object(["fromSeq": .number(1)]))
            #expect(try await scene.counts(of: eve, after: unread) == [1, 1])
        }
    }

    @Test func `a repetition must say so again, and a refusal leaves nothing`() async throws {
        try await serve { scene in
            let id = WireID()
            try await scene.send("All", ["@all"], by: scene.eve).expect(.forbidden)
            #expect(try await scene.send("All", ["@all"], by: scene.ada, id: id).status == .created)
            let again = try await scene.send("All", ["@all"], by: scene.ada, id: id)
            #expect(try again.decode(Message.self, status: .ok).mentions == [.all])
            try await scene.send("All", [], by: scene.ada, id: id).expect(.idConflict)
            let batch: JSONValue = .object([
                "messages": .array([scene.body("One", []), scene.body("Two", ["@all"])])
            ])
            try await scene.eve.send(.post, "\(scene.path)/messages", body: batch).expect(.forbidden)
            let both = try await scene.bob.send(.post, "\(scene.path)/messages", body: batch)
            #expect(try both.decode(MessagesAnswer.self, status: .created).items.map(\.mentions) == [[], [.all]])
            #expect(try await scene.counts(of: scene.eve, after: both) == [3, 2])
        }
    }

    @Test func `who joins later, or was not there, is not mentioned`() async throws {
        try await serve { scene in
            let dan = try await scene.server.register()
            let place = "\(scene.path)/participants/"
            _ = try await scene.send("Before", ["@all"], by: scene.ada)
            _ = try await scene.ada.send(.put, place + "\(dan.id)")
            _ = try await scene.ada.send(.delete, place + "\(scene.eve.id)")
            _ = try await scene.send("Between", ["@all"], by: scene.ada)
            let back = try await scene.ada.send(.put, place + "\(scene.eve.id)")
            #expect(try await scene.counts(of: dan, after: back) == [1, 1])
            #expect(try await scene.counts(of: scene.eve) == [0, 0])
            #expect(try await scene.counts(of: scene.bob) == [2, 2])
        }
    }

    @Test func `what is edited still mentions everyone, and what is deleted or hidden shows nothing`() async throws {
        try await serve { scene in
            let (ada, bob, eve) = (scene.ada, scene.bob, scene.eve)
            let one = try await scene.send("One", ["@all"], by: ada).decode(Message.self)
            let two = try await scene.send("Two", ["@all"], by: ada).decode(Message.self)
            let edited = try await ada.edit(one, to: "Other")
            #expect(try edited.decode(Message.self).mentions == [.all])
            #expect(try await scene.counts(of: bob, after: edited) == [2, 2])
            let hiding = try await eve.send(.delete, one.path + "?for=me")
            #expect(try await eve.get(Message.self, one.path, after: hiding).mentions == [])
            // As with any message: it is not read.
            #expect(try await scene.counts(of: eve) == [2, 2])
            let deletion = try await bob.send(.delete, two.path)
            #expect(try await ada.get(Message.self, two.path, after: deletion).mentions == [])
            #expect(try await scene.counts(of: bob) == [1, 1])
            let last = try await ada.send(.delete, one.path)
            #expect(try await scene.counts(of: bob, after: last) == [0, 0])
            #expect(try await scene.mentioned(bob) == [])
        }
    }

    @Test func `what goes by itself mentions nobody any more`() async throws {
        try await serve { scene in
            _ = try await scene.ada.send(.patch, scene.path, body: .object(["retentionSeconds": .number(3_600)]))
            let sent = try await scene.send("Soon gone", ["@all"], by: scene.ada)
            let message = try sent.decode(Message.self, status: .created)
            #expect(message.mentions == [.all] && message.expiresAt == clock.later(by: 3_600))
            #expect(try await scene.counts(of: scene.eve, after: sent) == [1, 1])
            clock.advance(by: 3_600)
            #expect(try await scene.server.expireDue() == nil)
            // The answer to a later command, so that the read models have come that far.
            let later = try await scene.send("Later", [], by: scene.ada)
            #expect(try await scene.counts(of: scene.eve, after: later) == [1, 0])
            #expect(try await scene.eve.get(Message.self, message.path).mentions == [])
        }
    }

    @Test func `a muted conversation counts them, and of two people either may`() async throws {
        try await serve { scene in
            let muting: JSONValue = .object(["mutedUntil": .string("9999-12-31T23:59:59.999Z")])
            _ = try await scene.eve.send(.patch, "\(scene.path)/me", body: muting)
            let sent = try await scene.send("All", ["@all"], by: scene.ada)
            #expect(try await scene.counts(of: scene.eve, after: sent) == [1, 1])
            let named = try await scene.send("For Eve", ["\(scene.eve.id)"], by: scene.bob)
            #expect(try await scene.counts(of: scene.eve, after: named) == [2, 2])
            let talk = try await scene.ada.talk(to: scene.eve).id
            let answer = try await scene.send("Both", ["@all"], by: scene.eve, in: talk)
            #expect(answer.status == .created)
            let path = "/v1/conversations/\(talk)"
            #expect(try await scene.ada.get(Conversation.self, path, after: answer).mentionCount == 1)
            #expect(try await scene.eve.get(Conversation.self, path).mentionCount == 0)
        }
    }

    @Test func `what is passed on mentions nobody`() async throws {
        try await serve { scene in
            let sent = try await scene.send("All", ["@all"], by: scene.ada).decode(Message.self)
            let target = try await scene.eve.talk(to: scene.bob).id
            let forward = try await scene.eve.send(
                .post,
                "\(sent.path)/forward",
                body: .object(["conversationIds": .array([.string("\(target)")])])
            )
            #expect(try forward.decode(ForwardAnswer.self).items.map(\.message?.mentions) == [[]])
        }
    }

    @Test func `it can be scheduled by who may, and is sent only if that is so then`() async throws {
        try await serve { scene in
            let all: [String: JSONValue] = ["mentions": .array([.string("@all")])]
            let (bob, eve, group) = (scene.bob, scene.eve, scene.group)
            try await eve.schedule("Mine", in: group, at: clock.now + 60, all).expect(.forbidden)
            let scheduled = try await bob.schedule("Soon", in: group, at: clock.now + 60, all)
            let soon = try scheduled.decode(ScheduledMessage.self, status: .created)
            #expect(soon.mentions == [.all])
            #expect(try await bob.scheduled().items == [soon])
            let again = try await bob.schedule("Soon", in: group, at: soon.sendAt, id: soon.id, all)
            #expect(try again.decode(ScheduledMessage.self, status: .ok) == soon)
            try await bob.schedule("Late", in: group, at: clock.now + 120, all)
            clock.advance(by: 60)
            #expect(try await scene.server.sendDue() == clock.later(by: 60))
            let sent = try await eve.get(Message.self, "\(scene.path)/messages/\(soon.id)")
            #expect(sent.mentions == [.all])
            let repeated = try await bob.schedule("Soon", in: group, at: soon.sendAt, id: soon.id, all)
            #expect(try repeated.decode(ScheduledMessage.self, status: .ok).status == .sent)
            try await bob.schedule("Soon", in: group, at: soon.sendAt, id: soon.id).expect(.idConflict)
            let role: JSONValue = .object(["role": .string("member")])
            _ = try await scene.ada.send(.put, "\(scene.path)/participants/\(bob.id)", body: role)
            clock.advance(by: 60)
            #expect(try await scene.server.sendDue() == nil)
            #expect(try await bob.scheduled().items.map(\.failure?.code) == ["forbidden"])
            #expect(try await scene.counts(of: eve) == [1, 1])
        }
    }
}
