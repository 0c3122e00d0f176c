import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Reactors

/// What counts as doing something: then a person's devices are told of messages later.
@Suite(.database, .timeLimit(.minutes(10))) struct PushActivityTests {
    private func register(_ person: LivePerson, _ server: LiveServer) async throws {
        let isRegistered =
            try await server.dependencies.devices.put(
                DeviceRegistration(address: .fcm(.token("token-of-\(person.id)"))),
                as: UUID(),
                of: person.id,
                session: person.session
            ) != nil
        try #require(isRegistered)
    }

    private func post(_ path: String, _ body: String, by person: LivePerson, _ server: LiveServer) async throws {
        let response = try await server.client.execute(
            uri: "/v1/\(path)",
            method: .post,
            headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
            body: ByteBuffer(string: body)
        )
        try #require((200..<300).contains(response.status.code), "\(String(buffer: response.body))")
    }

    private func move(_ mark: String, of group: UUID, by person: LivePerson, _ server: LiveServer) async throws {
        let receipt = #"{"receipts": [{"conversationId": "\#(WireID(group))", "\#(mark)": 1}]}"#
        try await post("receipts", receipt, by: person, server)
    }

    /// Who has done something, as all processes know it.
    private func active(_ server: LiveServer) async throws -> Set<UUID> {
        await server.dependencies.activity.flush()
        let rows = try await TestDatabase.current.pool.query(
            "SELECT d.person_id FROM parley.devices d WHERE d.active_at IS NOT NULL"
        )
        return Set(try rows.map { try $0.decode(0, as: UUID.self) })
    }

    @Test func `reading and typing count, while an open stream, looking and receiving do not`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let (bob, eve) = (people[1], people[2])
            for person in people { try await register(person, server) }
            let group = try await server.startGroup(people)
            try await server.say("Hello", people[0], in: group)
            try await server.waitForReadModels()
            let streams = [try await server.readyStream(of: bob), try await server.readyStream(of: eve)]
            for person in [bob, eve] {
                #expect(try await server.get("/v1/conversations", as: person).status == .ok)
                try await move("deliveredSeq", of: group, by: person, server)
            }
            #expect(try await active(server).isEmpty)
            try await move("readSeq", of: group, by: bob, server)
            #expect(try await active(server) == [bob.id])
            try await post("conversations/\(WireID(group))/typing", #"{"typing": true}"#, by: eve, server)
            #expect(try await active(server) == [bob.id, eve.id])
            _ = streams
        }
    }
}
