import API
import Attachments
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// Whoever is refused may try again under new ids, with the same files.
@Suite(.database, .timeLimit(.minutes(5))) struct `Files of messages that are refused` {
    private static let notes = Array("Dear diary, ".utf8)

    /// Sends two at once: one with a file, and another.
    private func send(
        _ file: WireID,
        and other: [String: JSONValue],
        in conversation: WireID,
        by person: Person
    ) async throws -> Answer {
        let first: JSONValue = .object(["text": .string("One"), "attachmentIds": .array([.string("\(file)")])])
        let body: JSONValue = .object(["messages": .array([first, .object(other)])])
        return try await person.send(.post, "/v1/conversations/\(conversation)/messages", body: body)
    }

    @Test func `are free again where another of a batch is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let said = try await ada.say("Said", in: talk.id)
            let file = try await ada.upload(Self.notes)
            let unknown: [String: JSONValue] = [
                "text": .string("Two"), "attachmentIds": .array([.string("\(WireID())")]),
            ]
            try await send(file.id, and: unknown, in: talk.id, by: ada)
                .expect(.validationFailed, pointer: "/messages/1/attachmentIds/0")
            let taken: [String: JSONValue] = ["text": .string("Two"), "id": .string("\(said.id)")]
            try await send(file.id, and: taken, in: talk.id, by: ada).expect(.idConflict)
            let sent = try await send(file.id, and: ["text": .string("Two")], in: talk.id, by: ada)
            #expect(sent.status == .created)
            // What was sent keeps them, whatever is refused.
            try await ada.send([file], in: talk.id).expect(.validationFailed, pointer: "/attachmentIds/0")
        }
    }

    @Test func `are free again where members have to wait, but for what is scheduled`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let slow: JSONValue = .object(["slowModeSeconds": .number(3_600)])
            #expect(try await ada.send(.patch, "/v1/conversations/\(group.id)", body: slow).status == .ok)
            let (first, second) = (try await bob.upload(Self.notes), try await bob.upload(Self.notes))
            try await send(first.id, and: ["text": .string("Two")], in: group.id, by: bob).expect(.rateLimited)
            #expect(try await bob.send([first], in: group.id).status == .created)
            try await bob.send([second], in: group.id).expect(.rateLimited)
            let (id, time) = (WireID(), Date().addingTimeInterval(7_200))
            let more: [String: JSONValue] = ["attachmentIds": .array([.string("\(second.id)")])]
            #expect(try await bob.schedule("Later", in: group.id, at: time, id: id, more).status == .created)
            try await bob.send([second], "Later", in: group.id, id: id).expect(.rateLimited)
            try await bob.send([second], in: group.id).expect(.validationFailed, pointer: "/attachmentIds/0")
        }
    }
}
