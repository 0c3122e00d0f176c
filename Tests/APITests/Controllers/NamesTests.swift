import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// Names that are refused, and names that are warned of.
@Suite(.database, .timeLimit(.minutes(10))) struct NamesTests {
    /// Latin, and with a Cyrillic а.
    private static let (latin, mixed) = ("Paula", "P\u{430}ula")

    private func warning(_ person: Person, like other: Person) -> Warning {
        Warning(code: .confusableName, userId: person.id, similarTo: other.id)
    }

    private func rename(_ person: Person, to name: String) async throws -> Answer {
        try await person.send(.patch, "/v1/me", body: .object(["displayName": .string(name)]))
    }

    @Test(arguments: ["admin", "@Everyone", "Su\u{440}\u{440}ort", "\u{2060}\u{2060}", "Ada\u{202E}gnp"])
    func `a reserved name is refused wherever a name is given`(name: String) async throws {
        try await TestServer.with { server in
            let body: JSONValue = .object([
                "email": .string("ada@example.org"), "password": .string("correct horse"), "displayName": .string(name),
            ])
            let registration = try await server.send(.post, "/v1/auth/register", body: body)
            try registration.expect(.validationFailed, pointer: "/displayName")
            let ada = try await server.register("Ada")
            let refused = try await rename(ada, to: name)
            try refused.expect(.validationFailed, pointer: "/displayName")
            let isSeen = name.unicodeScalars.allSatisfy { !$0.properties.isDefaultIgnorableCodePoint }
            #expect(try refused.problem().errors?.map(\.code) == [isSeen ? .reserved : .invalid])
            #expect(try await ada.get(Me.self, "/v1/me").displayName == "Ada")
        }
    }

    @Test func `a server's own reserved names are refused`() async throws {
        try await TestServer.with({ $0.reservedNames = ["Acme"] }) { server in
            let ada = try await server.register("Ada")
            try await rename(ada, to: "Acm\u{435}").expect(.validationFailed, pointer: "/displayName")
            #expect(try await rename(ada, to: "Acme Ada").status == .ok)
        }
    }

    @Test func `starting a group warns of people with names that are taken for one another`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let (paula, other) = (try await server.register(Self.latin), try await server.register(Self.mixed))
            let id = WireID()
            let warned = try await ada.startGroup(id, with: [other, paula, bob])
            #expect(warned.warnings == [warning(other, like: paula)])
            // Repeated, it says so again; reading and changing say nothing.
            #expect(try await ada.startGroup(id, with: [other, paula, bob]).warnings == warned.warnings)
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(id)").warnings == nil)
            #expect(try await ada.startGroup(with: [other, bob]).warnings == nil)
            #expect(try await paula.talk(to: other).warnings == nil)
        }
    }

    @Test func `who is added or joins under another member's name is warned of`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let (paula, other) = (try await server.register(Self.latin), try await server.register(Self.mixed))
            let guest = try await server.register("PAULA")
            let path = "/v1/conversations/\(try await ada.startGroup(with: [bob, paula], joinPolicy: .open).id)"
            let addition = try await ada.send(.put, path + "/participants/\(other.id)")
            let added = try addition.decode(Participant.self, status: .created)
            #expect(added.warnings == [warning(other, like: paula)])
            let listed = try await ada.get(ListPage<Participant>.self, path + "/participants", after: addition)
            #expect(listed.items.count == 4 && listed.items.allSatisfy { $0.warnings == nil })
            // Who has left is nobody's likeness.
            #expect(try await ada.send(.delete, path + "/participants/\(paula.id)").status == .noContent)
            let joined = try await guest.send(.post, path + "/join").decode(Conversation.self, status: .ok)
            #expect(joined.warnings == [warning(guest, like: other)])
            let left = try await guest.send(.post, path + "/leave").decode(Conversation.self, status: .ok)
            #expect(left.warnings == nil)
            let dan = try await server.register("Dan")
            let plain = try await ada.send(.put, path + "/participants/\(dan.id)").decode(Participant.self)
            #expect(plain.warnings == nil)
        }
    }

    @Test func `who comes in by an invite under another member's name is warned`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let (paula, other) = (try await server.register(Self.latin), try await server.register(Self.mixed))
            let path = "/v1/conversations/\(try await ada.startGroup(with: [bob, paula]).id)"
            let invite = try await ada.send(.post, path + "/invites").decode(Invite.self)
            let joined = try await other.send(.post, "/v1/invites/\(invite.code)/join").decode(Conversation.self)
            #expect(joined.warnings == [warning(other, like: paula)])
        }
    }

    @Test func `who takes the name of a member of an own group is warned, once for each such member`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let paulas = [try await server.register(Self.latin), try await server.register("PAULA")]
            _ = try await server.register(Self.mixed)
            _ = try await ada.startGroup(with: [bob, paulas[0]])
            _ = try await ada.startGroup(with: paulas)
            _ = try await bob.talk(to: paulas[1])
            let answer = try await rename(ada, to: Self.mixed)
            let renamed = try answer.decode(Me.self, status: .ok)
            #expect(renamed.displayName == Self.mixed)
            let expected = paulas.map { warning(ada, like: $0) }.sorted { $0.similarTo < $1.similarTo }
            #expect(renamed.warnings == expected)
            // Bob is in a group with one of them, and alone with the other one.
            _ = try await ada.get(ServerInfo.self, "/v1/server", after: answer)
            let third = try await rename(bob, to: "p\u{430}ul\u{430}").decode(Me.self)
            #expect(Set(third.warnings ?? []) == [warning(bob, like: ada), warning(bob, like: paulas[0])])
            let settings: JSONValue = .object(["settings": .object(["locale": .string("en")])])
            #expect(try await ada.send(.patch, "/v1/me", body: settings).decode(Me.self).warnings == nil)
            #expect(try await rename(ada, to: "Ada").decode(Me.self).warnings == nil)
        }
    }
}
