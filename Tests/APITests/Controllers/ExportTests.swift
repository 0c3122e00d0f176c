import Foundation
import HTTPTypes
import Identity
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// A person's own data, and nobody else's.
@Suite(.database) struct ExportTests {
    @Test func `an export has all that is kept about a person, and nothing that others said`() async throws {
        try await TestServer.with { server in
            let (ada, grace) = (try await server.register("Ada"), try await server.register("Grace"))
            let group = try await ada.startGroup(with: [grace, try await server.register("Alan")])
            func say(_ text: String, _ person: Person, replyTo: String? = nil) async throws -> String {
                let id = UUID().uuidString.lowercased()
                var body: [String: JSONValue] = ["text": .string(text)]
                body["replyToId"] = replyTo.map { .string($0) }
                let path = "/v1/conversations/\(group.id)/messages/\(id)"
                #expect(try await person.send(.put, path, body: .object(body)).status == .created)
                return id
            }
            // Enough for several pages, few of them the person's own.
            for number in 0..<250 { _ = try await say("others said \(number)", grace) }
            let quoted = try await say("others said this", grace)
            let own = try await say("\u{2028}I said so\n", ada, replyTo: quoted)
            let left = try await ada.send(.post, "/v1/conversations/\(group.id)/leave")
            _ = try await ada.get(ServerInfo.self, "/v1/server", after: left)

            let answer = try await ada.send(.post, "/v1/me/export")
            #expect(answer.status == .ok)
            #expect(answer["Content-Type"] == "application/x-ndjson")
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(!text.contains("others said") && !text.contains("Grace") && !text.contains(grace.email))
            let lines = try text.split(separator: "\n").map {
                try WireJSON.decoder().decode(ExportLine.self, from: Data($0.utf8))
            }
            #expect(lines.count == 7)
            guard case .account(let account) = lines[0], case .profile(let profile) = lines[1],
                case .settings(let settings) = lines[2], case .session(let session) = lines[3],
                case .conversation(let conversation) = lines[4], case .message(let message) = lines[5]
            else {
                Issue.record("the lines come in another order")
                return
            }
            #expect(lines[6] == .end)
            #expect(account.email == ada.email && account.id == ada.session.user.id)
            #expect(profile.displayName == "Ada")
            #expect(settings == UserSettings())
            #expect(session.current)
            #expect(conversation.id == group.id && conversation.role == .owner && conversation.leftAt != nil)
            #expect(message.id.description == own && message.seq == 252 && message.replyToId?.description == quoted)
            #expect(message.text == "\u{2028}I said so\n")
        }
    }

    @Test func `an export counts for what it holds at a time`() async throws {
        let bytes = 100_000
        let budget = CallerBudget(limit: bytes)
        try await TestServer.with {
            $0.answerBytes = bytes
            $0.edge.answers = budget
        } _: { server in
            let ada = try await server.register("Ada")
            do {
                let other = try budget.part(1, for: .network(ClientNetwork(ipv4: 1)))
                try await ada.send(.post, "/v1/me/export").expect(.overloaded)
                withExtendedLifetime(other) {}
            }
            #expect(try await ada.send(.post, "/v1/me/export").status == .ok)
        }
    }

    @Test func `an export of long texts has all of them`() async throws {
        try await TestServer.with {
            $0.answerBytes = 2_500
        } _: { server in
            let (ada, grace) = (try await server.register("Ada"), try await server.register("Grace"))
            let room = try await ada.talk(to: grace).id
            let texts = (0..<10).map { "\($0)" + String(repeating: "long", count: 250) }
            for text in texts { try await ada.say(text, in: room) }
            let seen = try await ada.send(.put, "/v1/conversations/direct/\(grace.id)")
            _ = try await ada.get(ServerInfo.self, "/v1/server", after: seen)
            let answer = try await ada.send(.post, "/v1/me/export")
            let lines = try answer.text.split(separator: "\n").map {
                try WireJSON.decoder().decode(ExportLine.self, from: Data($0.utf8))
            }
            let exported = lines.compactMap { line -> String? in
                guard case .message(let message) = line else { return nil }
                return message.text
            }
            #expect(exported == texts)
            #expect(lines.last == .end)
        }
    }

    @Test func `an export takes a signed-in person`() async throws {
        try await TestServer.with { server in
            try await server.send(.post, "/v1/me/export").expect(.unauthenticated)
        }
    }
}
