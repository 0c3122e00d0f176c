import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// What a group chooses for itself, over HTTP.
@Suite(.database) struct GroupTests {
    private func patch(_ person: Person, _ id: WireID, _ permissions: [String: JSONValue]) async throws -> Answer {
        try await person.send(
            .patch,
            "/v1/conversations/\(id)",
            body: .object(["permissions": .object(permissions)])
        )
    }

    private func send(_ person: Person, _ id: WireID) async throws -> Answer {
        try await person.send(
            .put,
            "/v1/conversations/\(id)/messages/\(WireID())",
            body: .object(["text": .string("Hello")])
        )
    }

    @Test func `a group of announcements is heard by all, and speaks by its admins`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = WireID()
            let body: JSONValue = .object([
                "groupName": .string("News"), "participantIds": .array([.string("\(bob.id)"), .string("\(eve.id)")]),
                "permissions": .object(["send": .string("admins")]),
            ])
            func start() async throws -> Answer { try await ada.send(.put, "/v1/conversations/\(id)", body: body) }
            let expected = GroupPermissions(send: .admins)
            #expect(try await start().decode(Conversation.self, status: .created).permissions == expected)
            #expect(try await start().decode(Conversation.self, status: .ok).permissions == expected)
            #expect(try await bob.get(Conversation.self, "/v1/conversations/\(id)").permissions == expected)
            try await send(bob, id).expect(.forbidden)
            #expect(try await send(ada, id).status == .created)
            let role: JSONValue = .object(["role": .string("admin")])
            _ = try await ada.send(.put, "/v1/conversations/\(id)/participants/\(bob.id)", body: role)
            #expect(try await send(bob, id).status == .created)
            let answer = try await patch(bob, id, ["send": .string("everyone")])
            #expect(try answer.decode(Conversation.self, status: .ok).permissions == GroupPermissions())
            #expect(try await send(eve, id).status == .created)
        }
    }

    @Test func `that a group is full is said by what the request names it with`() async throws {
        try await TestServer.with {
            $0.server = ServerInfo(version: "test", limits: ServerLimits(maxGroupMembers: 3), features: [])
        } _: { server in
            let (ada, bob, eve, dan) = (
                try await server.register(), try await server.register(), try await server.register(),
                try await server.register()
            )
            let body: JSONValue = .object([
                "groupName": .string("All"),
                "participantIds": .array([bob, eve, dan].map { .string("\($0.id)") }),
            ])
            try await ada.send(.put, "/v1/conversations/\(WireID())", body: body)
                .expect(.validationFailed, pointer: "/participantIds")
            let path = "/v1/conversations/\(try await ada.startGroup(with: [bob, eve], joinPolicy: .open).id)"
            try await dan.send(.post, "\(path)/join").expect(.validationFailed, parameter: "conversationId")
            try await ada.send(.put, "\(path)/participants/\(dan.id)", body: .object([:]))
                .expect(.validationFailed, parameter: "conversationId")
            let invite = try await ada.send(.post, "\(path)/invites", body: .object([:]))
                .decode(ParleyWire.Invite.self, status: .created)
            try await dan.send(.post, "/v1/invites/\(invite.code)/join")
                .expect(.validationFailed, parameter: "code")
        }
    }

    @Test func `the same group with other permissions is another group`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.startGroup(with: [bob, eve]).id
            let body: JSONValue = .object([
                "groupName": .string("Friends"),
                "participantIds": .array([.string("\(bob.id)"), .string("\(eve.id)")]),
                "permissions": .object(["pin": .string("everyone")]),
            ])
            try await ada.send(.put, "/v1/conversations/\(id)", body: body).expect(.idConflict)
        }
    }

    @Test func `what is no permission is refused, and what a later version knows is ignored`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.startGroup(with: [bob, eve]).id
            try await patch(ada, id, ["send": .null]).expect(.validationFailed, pointer: "/permissions/send")
            try await patch(ada, id, ["pin": .bool(true)]).expect(.validationFailed, pointer: "/permissions/pin")
            try await ada.send(.patch, "/v1/conversations/\(id)", body: .object(["permissions": .string("all")]))
                .expect(.validationFailed, pointer: "/permissions")
            let answer = try await patch(ada, id, ["send": .string("moderators"), "call": .string("admins")])
            #expect(try answer.decode(Conversation.self).permissions == GroupPermissions())
            try await patch(bob, id, ["send": .string("admins")]).expect(.forbidden)
            let direct = try await ada.talk(to: bob)
            #expect(direct.permissions == nil)
            try await patch(ada, direct.id, ["send": .string("admins")]).expect(.forbidden)
        }
    }

    @Test func `what a group has already is no change of it, and told to nobody`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.startGroup(with: [bob, eve]).id
            let path = "/v1/conversations/\(id)"
            let image = try await ada.upload(try SampleImage.bytes("alpha.png"), "kind=image", type: "image/png")
            let changes: [[String: JSONValue]] = [
                ["groupName": .string("Old friends")], ["groupIcon": .string("\(image.id)")],
                ["joinPolicy": .string("open")], ["historyVisibility": .string("joined")],
                ["permissions": .object(["changeInfo": .string("everyone")])], ["retentionSeconds": .number(86_400)],
                ["slowModeSeconds": .number(5)], ["groupName": .string("Friends"), "groupIcon": .null],
            ]
            var seen: Conversation?
            for change in changes {
                let first = try await ada.send(.patch, path, body: .object(change))
                seen = try first.decode(Conversation.self, status: .ok)
                let events = try await server.eventStore.log.heads().reduce(0, +)
                let again = try await ada.send(.patch, path, body: .object(change))
                let repeated = try again.decode(Conversation.self, status: .ok)
                #expect(repeated.revision == seen?.revision && repeated.updatedAt == seen?.updatedAt, "\(change)")
                #expect(try await server.eventStore.log.heads().reduce(0, +) == events, "\(change)")
            }
            #expect(seen?.groupIcon == nil && seen?.groupName == "Friends")
            // Who may change no more than the name may repeat it, too.
            let events = try await server.eventStore.log.heads().reduce(0, +)
            let name: JSONValue = .object(["groupName": .string("Friends")])
            #expect(try await bob.send(.patch, path, body: name).status == .ok)
            #expect(try await server.eventStore.log.heads().reduce(0, +) == events)
            let page = try await ada.get(HistoryPage.self, "\(path)/messages")
            // That it was started, and each change once.
            #expect(page.items.filter { $0.kind == .system }.count == 1 + changes.count)
        }
    }

    @Test func `an owner hands the group over and steps down, and the last one stays`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.startGroup(with: [bob, eve]).id
            func put(_ actor: Person, _ person: Person, _ role: String) async throws -> Answer {
                let path = "/v1/conversations/\(id)/participants/\(person.id)"
                return try await actor.send(.put, path, body: .object(["role": .string(role)]))
            }
            try await put(ada, ada, "member").expect(.forbidden)
            #expect(try await put(ada, bob, "owner").decode(Participant.self).role == .owner)
            #expect(try await put(ada, ada, "member").decode(Participant.self).role == .member)
            try await put(ada, bob, "member").expect(.forbidden)
            try await put(bob, bob, "member").expect(.forbidden)
        }
    }

    @Test func `two owners who leave at once leave the group an owner`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await ada.startGroup(with: [bob, eve]).id
            let owner: JSONValue = .object(["role": .string("owner")])
            _ = try await ada.send(.put, "/v1/conversations/\(id)/participants/\(bob.id)", body: owner)
            async let one = ada.send(.post, "/v1/conversations/\(id)/leave")
            async let other = bob.send(.post, "/v1/conversations/\(id)/leave")
            let answers = try await [one, other]
            #expect(answers.map(\.status) == [.ok, .ok])
            for answer in answers {
                let seen = try await eve.get(Conversation.self, "/v1/conversations/\(id)", after: answer)
                #expect(seen.participantIds?.contains(eve.id) == true)
            }
            let left = try await eve.send(
                .post,
                "/v1/conversations/\(id)/unread",
                body: .object(["fromSeq": .number(1)])
            )
            #expect(left.status == .unprocessableContent)
            let seen = try await eve.get(Conversation.self, "/v1/conversations/\(id)")
            #expect(seen.me.role == .owner && seen.participantCount == 1)
        }
    }
}
