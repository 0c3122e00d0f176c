import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Groups whose members wait between two messages, over HTTP. No test waits: the clock stands until it is moved.
@Suite(.database) struct SlowModeTests {
    private let clock = TestClock()

    private func serve(
        _ body: @escaping @Sendable (_ ada: Person, _ bob: Person, _ group: WireID) async throws -> Void
    ) async throws {
        try await TestServer.with({ $0.clock = clock.command }) { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            try await body(ada, bob, try await ada.startGroup(with: [bob, eve]).id)
        }
    }

    private func slow(_ seconds: JSONValue, _ group: WireID, by person: Person) async throws -> Answer {
        try await person.send(.patch, "/v1/conversations/\(group)", body: .object(["slowModeSeconds": seconds]))
    }

    private func send(_ text: String, to group: WireID, by person: Person, id: WireID = WireID()) async throws -> Answer
    {
        SecretWatch.add(text)
        let path = "/v1/conversations/\(group)/messages/\(id)"
        return try await person.send(.put, path, body: .object(["text": .string(text)]))
    }

    @Test func `it is set, shown and told in the history`() async throws {
        try await serve { ada, bob, group in
            let path = "/v1/conversations/\(group)"
            #expect(try await ada.get(Conversation.self, path).slowModeSeconds == 0)
            let set = try await slow(.number(3_600), group, by: ada)
            #expect(try set.decode(Conversation.self, status: .ok).slowModeSeconds == 3_600)
            for wrong in [-1, 3_601, 0.5] {
                try await slow(.number(wrong), group, by: ada).expect(.validationFailed, pointer: "/slowModeSeconds")
            }
            try await slow(.number(1), group, by: bob).expect(.forbidden)
            let off = try await slow(.number(0), group, by: ada)
            #expect(try off.decode(Conversation.self).slowModeSeconds == 0)
            _ = try await slow(.null, group, by: ada)
            let announced = try await bob.get(HistoryPage.self, "\(path)/messages", after: off).items.compactMap {
                item in
                if case .object(let data) = item.data, let changes = data["changes"] { changes } else { nil }
            }
            let values: [JSONValue] = [.number(3_600), .number(0)]
            #expect(announced.suffix(2) == values.map { .object(["slowModeSeconds": $0]) })
            #expect(try await ada.talk(to: bob).slowModeSeconds == nil)
        }
    }

    @Test func `a member who sends too soon is told how long to wait, and owners are not`() async throws {
        try await serve { ada, bob, group in
            _ = try await slow(.number(60), group, by: ada)
            let first = WireID()
            #expect(try await send("First", to: group, by: bob, id: first).status == .created)
            clock.advance(by: 18.5)
            let early = try await send("Second", to: group, by: bob)
            try early.expect(.rateLimited)
            #expect(early["Retry-After"] == "42")
            // What was sent is found to be sent, however soon it is repeated.
            #expect(try await send("First", to: group, by: bob, id: first).status == .ok)
            for _ in 0..<3 { #expect(try await send("Mine", to: group, by: ada).status == .created) }
            let batch: JSONValue = .object([
                "messages": .array(["One", "Two"].map { .object(["text": .string($0)]) })
            ])
            clock.advance(by: 41.5)
            try await bob.send(.post, "/v1/conversations/\(group)/messages", body: batch).expect(.rateLimited)
            #expect(try await send("Second", to: group, by: bob).status == .created)
        }
    }

    @Test func `passing on waits, too, and what is scheduled is sent when it may`() async throws {
        try await serve { ada, bob, group in
            let message = try await ada.say("Pass me on", in: group)
            _ = try await slow(.number(60), group, by: ada)
            try await bob.schedule("Later", in: group, at: clock.now + 30)
            #expect(try await send("First", to: group, by: bob).status == .created)
            let forward = try await bob.send(
                .post,
                "/v1/conversations/\(group)/messages/\(message.id)/forward",
                body: .object(["conversationIds": .array([.string("\(group)")])])
            )
            #expect(try forward.decode(ForwardAnswer.self).items.map(\.code) == ["rateLimited"])
            clock.advance(by: 30)
            #expect(try await bob.server.sendDue() == clock.later(by: 30))
            #expect(try await bob.scheduled().items.map(\.status) == [.scheduled])
            clock.advance(by: 30)
            #expect(try await bob.server.sendDue() == nil)
            #expect(try await ada.texts(in: group) == ["Pass me on", "First", "Later"])
        }
    }
}
