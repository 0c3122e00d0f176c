import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import Edge

@Suite(.database) struct ConversationTests {
    @Test func `two who start at once share one conversation`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            async let one = ada.send(.put, "/v1/conversations/direct/\(bob.id)")
            async let other = bob.send(.put, "/v1/conversations/direct/\(ada.id)")
            let answers = [try await one, try await other]
            #expect(answers.map(\.status.code).sorted() == [200, 201])
            let conversations = try answers.map { try $0.decode(ParleyWire.Conversation.self) }
            #expect(conversations[0].id == conversations[1].id)
            #expect(conversations[0].id.uuid == DerivedID.directConversation(ada.id.uuid, bob.id.uuid))
            #expect(conversations[0].type == .direct)
            #expect(conversations[0].participants?.count == 2)
        }
    }

    @Test func `a group is started once under its id`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let path = "/v1/conversations/\(WireID())"
            func body(_ name: String, _ people: [Person]) -> JSONValue {
                .object(["groupName": .string(name), "participantIds": .array(people.map { .string("\($0.id)") })])
            }
            let answer = try await ada.send(.put, path, body: body(" Friends ", [bob, eve, bob, ada]))
            let group = try answer.decode(ParleyWire.Conversation.self, status: .created)
            #expect(group.groupName == "Friends")
            #expect(group.participantCount == 3)
            #expect(group.me.role == .owner)
            #expect(group.joinPolicy == .invite)
            #expect(group.historyVisibility == .all)
            #expect(group.users?[bob.id]?.displayName == "Bob")
            // The order and doubles of people do not count.
            #expect(try await ada.send(.put, path, body: body("Friends", [eve, bob])).status == .ok)
            try await ada.send(.put, path, body: body("Foes", [eve, bob])).expect(.idConflict)
            try await bob.send(.put, path, body: body("Friends", [ada, eve])).expect(.idConflict)
        }
    }

    @Test func `owner and admins manage a group, members do not`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let dan = try await server.register("Dan")
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            try await bob.send(.patch, path, body: .object(["groupName": .string("Bobs")])).expect(.forbidden)
            try await bob.send(.put, path + "/participants/\(dan.id)").expect(.forbidden)
            try await dan.send(.put, path + "/participants/\(dan.id)").expect(.notFound)
            let added = try await ada.send(.put, path + "/participants/\(dan.id)").decode(
                Participant.self,
                status: .created
            )
            #expect(added.displayName == "Dan")
            #expect(added.role == .member)
            let again = try await ada.send(.put, path + "/participants/\(dan.id)").decode(Participant.self, status: .ok)
            #expect(again == added)
            let promoted = try await ada.send(
                .put,
                path + "/participants/\(dan.id)",
                body: .object(["role": .string("admin")])
            ).decode(Participant.self, status: .ok)
            #expect(promoted.role == .admin)
            let renamed = try await dan.send(.patch, path, body: .object(["groupName": .string("Dans")]))
                .decode(ParleyWire.Conversation.self)
            #expect(renamed.groupName == "Dans")
            #expect(renamed.participantCount == 4)
        }
    }

    @Test func `a removed member can be added again`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)/participants/\(eve.id)"
            for _ in 0..<2 {
                #expect(try await ada.send(.delete, path).status == .noContent)
                #expect(try await ada.send(.delete, path).status == .noContent)
                #expect(try await ada.send(.put, path).status == .created)
            }
        }
    }

    @Test func `open groups are joined, others are not there`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let dan = try await server.register("Dan")
            let closed = try await ada.startGroup(with: [bob, eve])
            try await dan.send(.post, "/v1/conversations/\(closed.id)/join").expect(.notFound)
            let open = try await ada.startGroup(with: [bob, eve], joinPolicy: .open)
            try await ada.say("Before", in: open.id)
            let joined = try await dan.send(.post, "/v1/conversations/\(open.id)/join")
                .decode(ParleyWire.Conversation.self, status: .ok)
            #expect(joined.participantCount == 4)
            #expect(joined.me.readSeq == 1)
            #expect(joined.unreadCount == 0)
            let left = try await dan.send(.post, "/v1/conversations/\(open.id)/leave")
                .decode(ParleyWire.Conversation.self, status: .ok)
            #expect(left.participantCount == 3)
            #expect(try await dan.send(.get, "/v1/conversations/\(open.id)").status == .ok)
            let list = try await dan.get(ListPage<ParleyWire.Conversation>.self, "/v1/conversations")
            #expect(list.items.isEmpty)
        }
    }

    @Test func `joining under a key is done once`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let dan = try await server.register()
            let group = try await ada.startGroup(with: [bob, eve], joinPolicy: .open)
            let path = "/v1/conversations/\(group.id)"
            let headers: HTTPFields = [try #require(HTTPField.Name(ParleyHeader.idempotencyKey)): "\(WireID())"]
            #expect(try await dan.send(.post, path + "/join", headers: headers).status == .ok)
            // Used for something else, the key is taken.
            try await dan.send(.post, path + "/leave", headers: headers).expect(.idConflict)
            #expect(try await dan.send(.post, path + "/leave").status == .ok)
            // The key has had its effect; what comes back is how things are now.
            let again = try await dan.send(.post, path + "/join", headers: headers)
                .decode(ParleyWire.Conversation.self, status: .ok)
            #expect(again.participantCount == 3)
            let anew = try await dan.send(.post, path + "/join").decode(ParleyWire.Conversation.self, status: .ok)
            #expect(anew.participantCount == 4)
        }
    }

    @Test func `a direct conversation stays as it is`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let direct = try await ada.talk(to: bob)
            let path = "/v1/conversations/\(direct.id)"
            try await ada.send(.patch, path, body: .object(["groupName": .string("Us")])).expect(.forbidden)
            try await ada.send(.put, path + "/participants/\(eve.id)").expect(.forbidden)
            try await ada.send(.post, path + "/leave").expect(.forbidden)
            try await eve.send(.post, path + "/join").expect(.notFound)
        }
    }

    @Test func `lists and participants come in pages`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            var last: Answer?
            for name in ["Bob", "Eve", "Dan"] {
                let other = try await server.register(name)
                last = try await ada.send(.put, "/v1/conversations/direct/\(other.id)")
            }
            var names: [String] = []
            var cursor = ""
            repeat {
                let page = try await ada.get(
                    ListPage<ParleyWire.Conversation>.self,
                    "/v1/conversations?limit=2&cursor=\(cursor)",
                    after: last
                )
                #expect(page.items.count <= 2)
                names += page.items.flatMap { $0.participants ?? [] }.compactMap(\.displayName).filter { $0 != "Ada" }
                cursor = page.nextCursor ?? ""
            } while !cursor.isEmpty
            #expect(names == ["Dan", "Eve", "Bob"])
            let groups = try await ada.get(ListPage<ParleyWire.Conversation>.self, "/v1/conversations?filter=groups")
            #expect(groups.items.isEmpty)
        }
    }
}
