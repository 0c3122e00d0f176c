import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// Pictures whose message, sender or membership has ended: by every way to them, from the next request on.
@Suite(.database, .timeLimit(.minutes(5))) struct `A picture that is gone` {
    /// What both sizes are answered with: by the URLs that somebody was given, and by the access token.
    private func statuses(
        of picture: ParleyWire.Attachment,
        for person: Person,
        on server: TestServer
    ) async throws -> [HTTPResponse.Status] {
        var statuses: [HTTPResponse.Status] = []
        for link in [picture.url, try #require(picture.thumbnailURL)] {
            statuses.append(try await server.bring(.get, link).status)
        }
        for query in ["", "?size=thumbnail"] {
            statuses.append(try await person.bring(.get, "/v1/attachments/\(picture.id)/content\(query)").status)
        }
        return statuses
    }

    private func send(by person: Person, in conversation: WireID) async throws -> ParleyWire.Message {
        let picture = try await person.upload(try SampleImage.bytes("plain.jpg"), "kind=image", type: "image/jpeg")
        return try await person.send([picture], in: conversation).decode(ParleyWire.Message.self, status: .created)
    }

    private static let all = Array(repeating: HTTPResponse.Status.ok, count: 4)
    private static let none = Array(repeating: HTTPResponse.Status.notFound, count: 4)

    /// Bob has a picture of Ada's, until Ada does something.
    private func losing(
        _ act: @escaping @Sendable (_ ada: Person, _ sent: ParleyWire.Message) async throws -> Answer
    ) async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let sent = try await send(by: ada, in: try await ada.talk(to: bob).id)
            let picture = try #require(try await bob.get(ParleyWire.Message.self, sent.path).attachments.first)
            #expect(try await statuses(of: picture, for: bob, on: server) == Self.all)
            #expect(try await act(ada, sent).status == .noContent)
            #expect(try await statuses(of: picture, for: bob, on: server) == Self.none)
        }
    }

    @Test func `with its message is refused in both sizes`() async throws {
        try await losing { ada, sent in try await ada.send(.delete, sent.path) }
    }

    @Test func `with its sender is refused in both sizes`() async throws {
        let erasing: JSONValue = .object(["password": .string("correct horse")])
        try await losing { ada, _ in try await ada.send(.delete, "/v1/me", body: erasing) }
    }

    @Test func `for who is removed is what came later, and not what came before`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let earlier = try await send(by: ada, in: group.id)
            let seen = try #require(try await eve.get(ParleyWire.Message.self, earlier.path).attachments.first)
            let removed = try await ada.send(.delete, "/v1/conversations/\(group.id)/participants/\(eve.id)")
            #expect((200..<300).contains(removed.status.code))
            let later = try await send(by: ada, in: group.id)
            let shown = try #require(try await bob.get(ParleyWire.Message.self, later.path).attachments.first)
            #expect(try await statuses(of: shown, for: bob, on: server) == Self.all)
            #expect(try await statuses(of: shown, for: eve, on: server).suffix(2) == Self.none[..<2])
            #expect(try await statuses(of: seen, for: eve, on: server) == Self.all)
        }
    }
}
