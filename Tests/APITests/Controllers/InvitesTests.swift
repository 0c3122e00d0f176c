import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Coming into a group by a code, over HTTP.
@Suite(.database, .timeLimit(.minutes(10))) struct InvitesTests {
    private func group(_ server: TestServer) async throws -> (owner: Person, member: Person, id: WireID) {
        let (ada, bob, eve) = (try await server.register(), try await server.register(), try await server.register())
        return (ada, bob, try await ada.startGroup(with: [bob, eve]).id)
    }

    private func invite(
        _ person: Person,
        to id: WireID,
        _ members: [String: JSONValue] = [:],
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        try await person.send(.post, "/v1/conversations/\(id)/invites", headers: headers, body: .object(members))
    }

    private func invites(_ person: Person, to id: WireID) async throws -> [ParleyWire.Invite] {
        try await person.get(ListPage<ParleyWire.Invite>.self, "/v1/conversations/\(id)/invites").items
    }

    @Test func `a stranger sees name and size, comes in, and reads`() async throws {
        try await TestServer.with { server in
            let (owner, _, id) = try await group(server)
            let stranger = try await server.register()
            let answer = try await invite(owner, to: id)
            let made = try answer.decode(ParleyWire.Invite.self, status: .created)
            #expect(made.uses == 0 && made.maxUses == nil && made.expiresAt == nil && made.createdBy == owner.id)
            let seen = try await stranger.send(.get, "/v1/invites/\(made.code)", text: nil)
            #expect(try seen.decode(InvitePreview.self) == InvitePreview(groupName: "Friends", participantCount: 3))
            let members = try #require(try JSONSerialization.jsonObject(with: seen.body) as? [String: Any])
            #expect(Set(members.keys) == ["groupName", "participantCount"])
            let path = "/v1/invites/\(made.code)/join"
            let joined = try await stranger.send(.post, path).decode(ParleyWire.Conversation.self, status: .ok)
            #expect(joined.id == id && joined.participantCount == 4 && joined.me.role == .member)
            // Once more, as after a lost answer.
            #expect(try await stranger.send(.post, path).status == .ok)
            #expect(try await invites(owner, to: id).map(\.uses) == [1])
        }
    }

    @Test func `a code opens as often as it says, whoever asks at once on two servers`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                let people = try await one.people(3)
                let id = try await one.startGroup(people)
                let code = try await one.invite(to: id, by: people[0], maxUses: 5)
                var guests: [LivePerson] = []
                for number in 0..<16 { guests.append(try await one.person("Guest \(number)")) }
                let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                    for (place, guest) in guests.enumerated() {
                        let server = place.isMultiple(of: 2) ? one : other
                        tasks.addTask {
                            try await server.client.execute(
                                uri: "/v1/invites/\(code.text)/join",
                                method: .post,
                                headers: [.authorization: "Bearer \(guest.token)"]
                            ).status.code
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.count { $0 == 200 } == 5)
                #expect(statuses.count { $0 == 404 } == 11)
                try await one.waitForReadModels()
                let path = "/v1/conversations/\(WireID(id))"
                #expect(try await one.get(ParleyWire.Conversation.self, path, as: people[0]).participantCount == 8)
            }
        }
    }

    @Test func `who joins and is removed at once is a member or is not`() async throws {
        try await LiveServer.with { one in
            try await LiveServer.with { other in
                let people = try await one.people(3)
                let guest = try await one.person("Guest")
                let id = try await one.startGroup(people)
                let code = try await one.invite(to: id, by: people[0], maxUses: nil)
                async let joining = other.client.execute(
                    uri: "/v1/invites/\(code.text)/join",
                    method: .post,
                    headers: [.authorization: "Bearer \(guest.token)"]
                )
                async let removing = one.client.execute(
                    uri: "/v1/conversations/\(WireID(id))/participants/\(WireID(guest.id))",
                    method: .delete,
                    headers: [.authorization: "Bearer \(people[0].token)"]
                )
                let (joined, removed) = (try await joining.status, try await removing.status)
                #expect(joined == .ok)
                #expect(removed == .noContent || removed == .notFound)
                try await one.waitForReadModels()
                let page = try await one.get(
                    ListPage<Participant>.self,
                    "/v1/conversations/\(WireID(id))/participants",
                    as: people[0]
                )
                #expect(page.items.count == (removed == .noContent ? 3 : 4))
            }
        }
    }

    @Test func `what does not open is answered alike`() async throws {
        let clock = TestClock()
        try await TestServer.with({ $0.clock = clock.command }) { server in
            let (owner, _, id) = try await group(server)
            let stranger = try await server.register()
            let revoked = try await invite(owner, to: id).decode(ParleyWire.Invite.self)
            let path = "/v1/conversations/\(id)/invites/\(revoked.code)"
            #expect(try await owner.send(.delete, path).status == .noContent)
            try await owner.send(.delete, path).expect(.notFound)
            let end = Timestamp.format(clock.later(by: 60))
            let over = try await invite(owner, to: id, ["expiresAt": .string(end)]).decode(ParleyWire.Invite.self)
            let used = try await invite(owner, to: id, ["maxUses": .number(1)]).decode(ParleyWire.Invite.self)
            for code in [over.code, used.code] {
                #expect(try await server.register().send(.post, "/v1/invites/\(code)/join").status == .ok)
            }
            clock.advance(by: 60)
            let codes = [
                revoked.code, over.code, used.code, InviteCode(of: id.uuid).text, InviteCode(of: UUID()).text,
                "nonsense", String(repeating: "A", count: 43), "%2e%2e",
            ]
            var bodies: Set<Problem> = []
            for code in codes {
                for (method, path) in [
                    (HTTPRequest.Method.get, "/v1/invites/\(code)"), (.post, "/v1/invites/\(code)/join"),
                ] {
                    let answer = try await stranger.send(method, path)
                    try answer.expect(.notFound)
                    var problem = try answer.problem()
                    problem.requestId = nil
                    bodies.insert(problem)
                }
            }
            #expect(bodies.count == 1)
            #expect(try await invites(owner, to: id) == [])
        }
    }

    @Test func `an invite is made once for a key, and lives in the log alone`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let (owner, member, id) = try await group(server)
            let name = try #require(HTTPField.Name(ParleyHeader.idempotencyKey))
            let key: HTTPFields = [name: "\(WireID())"]
            let first = try await invite(owner, to: id, ["maxUses": .number(2)], headers: key)
                .decode(ParleyWire.Invite.self, status: .created)
            let again = try await invite(owner, to: id, ["maxUses": .number(2)], headers: key)
            #expect(try again.decode(ParleyWire.Invite.self, status: .ok) == first)
            try await invite(owner, to: id, ["maxUses": .number(3)], headers: key).expect(.idConflict)
            #expect(try await invites(owner, to: id) == [first])
            try await invite(member, to: id).expect(.forbidden)
            try await member.send(.get, "/v1/conversations/\(id)/invites").expect(.forbidden)
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let (owner, _, id) = try await group(server)
            for uses: JSONValue in [.number(0), .number(-1), .number(1e9), .number(1.5), .string("2")] {
                try await invite(owner, to: id, ["maxUses": uses]).expect(.validationFailed, pointer: "/maxUses")
            }
            for time in ["yesterday", "2001-01-01T00:00:00.000Z"] {
                try await invite(owner, to: id, ["expiresAt": .string(time)])
                    .expect(.validationFailed, pointer: "/expiresAt")
            }
        }
    }

    @Test func `who has left comes back by an invite, with the messages of both times`() async throws {
        try await TestServer.with { server in
            let (owner, member, id) = try await group(server)
            let made = try await invite(owner, to: id).decode(ParleyWire.Invite.self)
            try await owner.say("Before", in: id)
            _ = try await member.send(.post, "/v1/conversations/\(id)/leave")
            try await owner.say("Meanwhile", in: id)
            let back = try await member.send(.post, "/v1/invites/\(made.code)/join")
            #expect(try back.decode(Conversation.self, status: .ok).me.role == .member)
            try await owner.say("After", in: id)
            #expect(try await member.texts(in: id).last == "After")
        }
    }

    @Test func `who was removed needs somebody to be added by`() async throws {
        try await TestServer.with { server in
            let (owner, member, id) = try await group(server)
            let made = try await invite(owner, to: id).decode(ParleyWire.Invite.self)
            _ = try await owner.send(.delete, "/v1/conversations/\(id)/participants/\(member.id)")
            try await member.send(.post, "/v1/invites/\(made.code)/join").expect(.forbidden)
            let added = try await owner.send(
                .put,
                "/v1/conversations/\(id)/participants/\(member.id)",
                body: .object([:])
            )
            #expect(added.status == .created)
        }
    }
}

extension LiveServer {
    fileprivate func invite(to id: UUID, by person: LivePerson, maxUses: Int?) async throws -> InviteCode {
        let (code, command) = (InviteCode(of: id), UUID())
        let create = CreateInvite(
            actor: person.id,
            code: code,
            command: command,
            maxUses: maxUses,
            expiresAt: nil,
            now: Date()
        )
        try await self.command(.createInvite(create), on: id, by: person.id, as: command)
        return code
    }
}
