import HTTPTypes
import Identity
import ParleyWire
import TestSupport
import Testing

/// A person whose account is closed is brought into nothing new, and told to nobody.
@Suite(.database) struct ClosedAccountTests {
    private static func with(
        _ body: @escaping @Sendable (TestServer, _ ada: Person, _ bob: Person, _ closed: Person) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let people = (
                try await server.register(), try await server.register(), try await server.register()
            )
            try await body(server, people.0, people.1, people.2)
        }
    }

    private static func group(_ people: [Person]) -> JSONValue {
        .object(["groupName": .string("Friends"), "participantIds": .array(people.map { .string("\($0.id)") })])
    }

    @Test func `no direct conversation begins with the person, and one that is there stays`() async throws {
        try await Self.with { server, ada, bob, closed in
            let direct = try await ada.talk(to: closed)
            #expect(try await server.identity.deactivate(closed.id.uuid))
            try await bob.send(.put, "/v1/conversations/direct/\(closed.id)").expect(.notFound)
            let again = try await ada.send(.put, "/v1/conversations/direct/\(closed.id)")
            #expect(try again.decode(Conversation.self, status: .ok).id == direct.id)
            #expect(try await server.identity.reactivate(closed.id.uuid))
            #expect(try await bob.send(.put, "/v1/conversations/direct/\(closed.id)").status == .created)
        }
    }

    @Test func `no group begins with the person, but a start that is repeated is answered`() async throws {
        try await Self.with { server, ada, bob, closed in
            let path = "/v1/conversations/\(WireID())"
            #expect(try await ada.send(.put, path, body: Self.group([bob, closed])).status == .created)
            #expect(try await server.identity.deactivate(closed.id.uuid))
            #expect(try await ada.send(.put, path, body: Self.group([bob, closed])).status == .ok)
            try await ada.send(.put, "/v1/conversations/\(WireID())", body: Self.group([bob, closed]))
                .expect(.validationFailed, pointer: "/participantIds/1")
        }
    }

    @Test func `the person cannot be added to a group, and stays a member who was one`() async throws {
        try await Self.with { server, ada, bob, closed in
            let eve = try await server.register()
            let without = try await ada.startGroup(with: [bob, eve])
            let with = try await ada.startGroup(with: [bob, closed])
            #expect(try await server.identity.deactivate(closed.id.uuid))
            try await ada.send(.put, "/v1/conversations/\(without.id)/participants/\(closed.id)").expect(.notFound)
            // Who may add nobody learns nothing of the person.
            try await bob.send(.put, "/v1/conversations/\(without.id)/participants/\(closed.id)").expect(.forbidden)
            let role: JSONValue = .object(["role": .string("admin")])
            let changed = try await ada.send(.put, "/v1/conversations/\(with.id)/participants/\(closed.id)", body: role)
            #expect(try changed.decode(Participant.self, status: .ok).role == .admin)
        }
    }
}
