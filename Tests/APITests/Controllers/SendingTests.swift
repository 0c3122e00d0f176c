import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

@Suite(.database) struct SendingTests {
    @Test func `a message is told as it was sent, at once`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let conversation = try await ada.talk(to: bob)
            let id = WireID()
            let text = "  שלום 👩‍👩‍👧‍👦\u{202e}\r\n"
            let body: JSONValue = .object([
                "text": .string(text), "clientTimestamp": .string("2026-03-01T11:00:00.1239+01:00"),
                "later": .bool(true),
            ])
            let answer = try await ada.send(.put, "/v1/conversations/\(conversation.id)/messages/\(id)", body: body)
            let message = try answer.decode(Message.self, status: .created)
            #expect(message.id == id)
            #expect(message.localId == id)
            #expect(message.conversationId == conversation.id)
            #expect(message.seq == 1)
            #expect(message.senderId == ada.id)
            #expect(message.text.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
            #expect(message.clientTimestamp == Timestamp.parse("2026-03-01T10:00:00.123Z"))
            #expect(message.status == .sent)
            #expect(message.recipientCount == 1)
            #expect(message.deliveredTo == [:])
            #expect(answer[ParleyHeader.position].flatMap { Cursor(text: $0) } != nil)
        }
    }

    @Test func `10,000 scalars are not too many`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob)
            let text = String(repeating: "😀", count: 10_000)
            #expect(try await ada.say(text, in: conversation.id).text == text)
        }
    }

    @Test func `a repeated send is the same message, whatever the client's clock says`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(conversation.id)/messages/\(WireID())"
            let first = try await ada.send(.put, path, body: .object(["text": .string("Hi")]))
                .decode(Message.self, status: .created)
            try await ada.say("More", in: conversation.id)
            let again = try await ada.send(
                .put,
                path,
                body: .object(["text": .string("Hi"), "clientTimestamp": .string("2026-01-01T00:00:00Z")])
            ).decode(Message.self, status: .ok)
            #expect(again.id == first.id)
            #expect(again.seq == first.seq)
            #expect(again.timestamp == first.timestamp)
        }
    }

    @Test func `the same id with other content is a conflict`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob)
            let id = WireID()
            try await ada.say("Hi", in: conversation.id, id: id)
            let path = "/v1/conversations/\(conversation.id)/messages/\(id)"
            try await ada.send(.put, path, body: .object(["text": .string("Ho")])).expect(.idConflict)
            try await bob.send(.put, path, body: .object(["text": .string("Hi")])).expect(.idConflict)
        }
    }

    @Test func `a message may have its group's id`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let group = try await ada.startGroup(with: [try await server.register(), try await server.register()])
            let path = "/v1/conversations/\(group.id)/messages/\(group.id)"
            let answer = try await ada.send(.put, path, body: .object(["text": .string("Hi")]))
            #expect(answer.status == .created)
        }
    }

    @Test func `a conversation cannot take a person's id`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let body = JSONValue.object([
                "groupName": .string("Trap"), "participantIds": .array([.string("\(bob.id)"), .string("\(eve.id)")]),
            ])
            try await ada.send(.put, "/v1/conversations/\(bob.id)", body: body).expect(.idConflict)
        }
    }

    @Test func `who joined a group whose history is for the joined cannot quote what was before`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register(), try await server.register(), try await server.register(),
                try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            let change = JSONValue.object(["historyVisibility": .string("joined")])
            #expect(try await ada.send(.patch, path, body: change).status == .ok)
            let old = WireID()
            try await ada.say("before", in: group.id, id: old)
            #expect(try await ada.send(.put, "\(path)/participants/\(dan.id)", body: .object([:])).status == .created)
            let quote = JSONValue.object(["text": .string("?"), "replyToId": .string("\(old)")])
            try await dan.send(.put, "\(path)/messages/\(WireID())", body: quote).expect(.validationFailed)
            #expect(try await bob.send(.put, "\(path)/messages/\(WireID())", body: quote).status == .created)
        }
    }

    @Test func `a POST is done once under its key and each time without one`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(conversation.id)/messages"
            let headers: HTTPFields = [try #require(HTTPField.Name(ParleyHeader.idempotencyKey)): "\(WireID())"]
            let body: JSONValue = .object(["text": .string("Hi")])
            let first = try await ada.send(.post, path, headers: headers, body: body)
                .decode(Message.self, status: .created)
            let again = try await ada.send(.post, path, headers: headers, body: body).decode(Message.self, status: .ok)
            #expect(again.id == first.id)
            try await ada.send(.post, path, headers: headers, body: .object(["text": .string("Ho")]))
                .expect(.idConflict)
            let other = try await bob.send(.post, path, headers: headers, body: body)
                .decode(Message.self, status: .created)
            #expect(other.id != first.id)
            let free = try await ada.send(.post, path, body: body).decode(Message.self, status: .created)
            #expect(free.seq == 3)
            #expect(free.id.uuid.uuid.6 >> 4 == 7)
            let badKey: HTTPFields = [try #require(HTTPField.Name(ParleyHeader.idempotencyKey)): "x"]
            try await ada.send(.post, path, headers: badKey, body: body)
                .expect(.validationFailed, parameter: ParleyHeader.idempotencyKey)
        }
    }

    @Test func `what one command sent the next may answer`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let conversation = try await ada.talk(to: bob)
            let question = try await ada.say("Tea?", in: conversation.id)
            let body: JSONValue = .object(["text": .string("Yes"), "replyToId": .string("\(question.id)")])
            let answer = try await bob.send(
                .put,
                "/v1/conversations/\(conversation.id)/messages/\(WireID())",
                body: body
            )
            .decode(Message.self, status: .created)
            #expect(answer.replyTo == ReplyTo(id: question.id, seq: 1, senderId: ada.id, text: "Tea?"))
        }
    }

    @Test func `strangers learn nothing, not even which messages there are`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let conversation = try await ada.talk(to: bob)
            let message = try await ada.say("Hi", in: conversation.id)
            let path = "/v1/conversations/\(conversation.id)/messages/"
            for replyTo in [message.id, WireID()] {
                let body: JSONValue = .object(["text": .string("Hi"), "replyToId": .string("\(replyTo)")])
                try await eve.send(.put, path + "\(WireID())", body: body).expect(.notFound)
            }
            try await eve.send(.put, path + "\(message.id)", body: .object(["text": .string("Hi")])).expect(.notFound)
        }
    }

    @Test func `who was removed is told so`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let removed = try await ada.send(.delete, "/v1/conversations/\(group.id)/participants/\(eve.id)")
            #expect(removed.status == .noContent)
            #expect(removed[ParleyHeader.position] != nil)
            let path = "/v1/conversations/\(group.id)/messages/\(WireID())"
            try await eve.send(.put, path, body: .object(["text": .string("Hi")])).expect(.forbidden)
            let body: JSONValue = .object(["text": .string("Hi"), "replyToId": .string("\(WireID())")])
            try await eve.send(.put, path, body: body).expect(.forbidden)
        }
    }
}
