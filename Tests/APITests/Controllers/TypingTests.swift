import Foundation
import HTTPTypes
import HummingbirdTesting
import Live
import Messaging
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Who is typing, over HTTP and the stream.
@Suite(.database, .timeLimit(.minutes(10))) struct TypingTests {
    private func post(
        _ typing: String,
        by person: LivePerson,
        in id: UUID,
        _ server: LiveServer
    ) async throws -> Int {
        try await server.client.execute(
            uri: "/v1/conversations/\(WireID(id))/typing",
            method: .post,
            headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
            body: ByteBuffer(string: typing)
        ).status.code
    }

    @Test func `the other members that are connected are told, and nobody else`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.waitForReadModels()
            var streams: [LiveStream] = []
            for person in people { streams.append(try await server.readyStream(of: person)) }
            #expect(try await post(#"{"typing": true}"#, by: people[0], in: group, server) == 202)
            for stream in streams[1...2] {
                guard case .typingUpdated(let update) = try await stream.next(.typingUpdated) else { return }
                #expect(update.conversationId == WireID(group) && update.userId == WireID(people[0].id))
                #expect(update.typing && update.expiresInMs == 3_000)
            }
            // Whoever is told of the message that follows was not told of the typing before it.
            let other = try await server.startGroup([people[0], people[3], people[1]])
            try await server.say("Hi", people[1], in: other)
            for stream in [streams[0], streams[3]] {
                while let event = await stream.next(), event.name != "message.created" {
                    #expect(event.name != "typing.updated")
                }
            }
        }
    }

    @Test func `whom the log does not have as a member is told nothing`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[1])
            // As where another process has removed somebody, of which the hub has not heard yet.
            server.hub.publishTyping(true, by: people[0].id, in: group, among: Members())
            server.hub.publishTyping(true, by: people[2].id, in: group)
            guard case .typingUpdated(let update) = try await stream.next(.typingUpdated) else { return }
            #expect(update.userId == WireID(people[2].id))
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            for body in ["{}", #"{"typing": null}"#, #"{"typing": "yes"}"#, "[]"] {
                #expect(try await post(body, by: people[0], in: group, server) == 422)
            }
            #expect(try await post("", by: people[0], in: group, server) == 400)
        }
    }
}
