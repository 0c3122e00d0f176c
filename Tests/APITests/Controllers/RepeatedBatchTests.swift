import Foundation
import HTTPTypes
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

/// Sending again what was deleted since, and has left the log, together with something else.
@Suite(.database, .timeLimit(.minutes(10))) struct RepeatedBatchTests {
    private let ids = (0..<5).map { _ in WireID() }

    private func serve(_ body: @escaping @Sendable (_ ada: Person, _ path: String) async throws -> Void) async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            try await body(ada, "/v1/conversations/\(try await ada.talk(to: bob).id)/messages")
        }
    }

    private func message(_ text: String, _ id: WireID? = nil, answering replyTo: WireID? = nil) -> JSONValue {
        SecretWatch.add(text)
        var members: [String: JSONValue] = ["text": .string(text)]
        members["id"] = id.map { .string("\($0)") }
        members["replyToId"] = replyTo.map { .string("\($0)") }
        return .object(members)
    }

    private func batch(_ messages: [JSONValue]) -> JSONValue { .object(["messages": .array(messages)]) }

    private func headers(_ key: WireID) throws -> HTTPFields {
        [try #require(HTTPField.Name(ParleyHeader.idempotencyKey)): "\(key)"]
    }

    /// Deletes a message for everyone, until the log does not have it any more.
    private func shred(_ id: WireID, _ person: Person, _ path: String) async throws {
        #expect(try await person.send(.delete, "\(path)/\(id)?for=everyone").status == .noContent)
        let message = id.uuid
        while true {
            let left = try await TestDatabase.current.administrator.query(
                "SELECT FROM parley.events WHERE command_id = \(message) AND sealed <> ''"
            )
            if left.isEmpty { return }
        }
    }

    private func count(_ person: Person, _ path: String) async throws -> Int64? {
        try await person.get(HistoryPage.self, path).items.compactMap(\.seq).max()
    }

    @Test func `a deleted message takes no other along`() async throws {
        try await serve { ada, path in
            let single = message("Single", ids[0])
            #expect(try await ada.send(.put, "\(path)/\(ids[0])", body: message("Single")).status == .created)
            // Not of a batch with it, though it follows, and is of the same sender.
            #expect(try await ada.send(.put, "\(path)/\(ids[1])", body: message("Next")).status == .created)
            try await shred(ids[0], ada, path)
            for other in [message("New", ids[2]), message("Next", ids[1])] {
                try await ada.send(.post, path, body: batch([single, other])).expect(.idConflict)
                try await ada.send(.post, path, body: batch([other, single])).expect(.idConflict)
            }
            let again = try await ada.send(.put, "\(path)/\(ids[0])", body: message("Single"))
            #expect(try again.decode(Message.self, status: .ok).deletedAt != nil)
            #expect(try await count(ada, path) == 2)
        }
    }

    @Test func `a batch whose first message was deleted is compared by all that is left`() async throws {
        try await serve { ada, path in
            let first = message("First", ids[0])
            let second = message("Second", ids[1], answering: ids[0])
            let sent = try await ada.send(.post, path, body: batch([first, second]))
            #expect(sent.status == .created)
            try await shred(ids[0], ada, path)
            for others in [
                [second, message("Third", ids[2])], [message("Fourth", ids[3])], [],
                [message("Something else", ids[1], answering: ids[0])], [message("Second", ids[1])],
            ] {
                try await ada.send(.post, path, body: batch([first] + others)).expect(.idConflict)
            }
            try await ada.send(.put, "\(path)/\(ids[0])", body: message("First")).expect(.idConflict)
            func repeated() async throws -> [String?] {
                let again = try await ada.send(.post, path, body: batch([first, second]))
                return try again.decode(MessagesAnswer.self, status: .ok).items.map(\.text)
            }
            #expect(try await repeated() == [nil, "Second"])
            try await shred(ids[1], ada, path)
            #expect(try await repeated() == [nil, nil])
            #expect(try await count(ada, path) == 2)
        }
    }

    @Test func `a key stands for one message or for several`() async throws {
        try await serve { ada, path in
            let (one, several) = (try headers(WireID()), try headers(WireID()))
            let single = try await ada.send(.post, path, headers: one, body: message("One"))
                .decode(Message.self, status: .created)
            let pair = [message("Two"), message("Three")]
            let sent = try await ada.send(.post, path, headers: several, body: batch(pair))
                .decode(MessagesAnswer.self, status: .created).items
            for id in [single.id, sent[0].id] { try await shred(id, ada, path) }
            try await ada.send(.post, path, headers: one, body: batch(pair)).expect(.idConflict)
            try await ada.send(.post, path, headers: several, body: message("Two")).expect(.idConflict)
            let again = try await ada.send(.post, path, headers: several, body: batch(pair))
            #expect(try again.decode(MessagesAnswer.self, status: .ok).items.map(\.text) == [nil, "Three"])
            #expect(try await count(ada, path) == 3)
        }
    }
}
