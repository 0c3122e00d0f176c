import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What somebody sees of a group who is no longer in it.
@Suite(.database) struct FormerMembersTests {
    private func show(_ visibility: String, of path: String, by owner: Person) async throws {
        let answer = try await owner.send(.patch, path, body: .object(["historyVisibility": .string(visibility)]))
        #expect(answer.status == .ok, "\(answer.text)")
    }

    private func texts(of path: String, for person: Person) async throws -> [String] {
        try await person.get(HistoryPage.self, "\(path)/messages").items.compactMap(\.text)
    }

    @Test func `a history that is opened or closed later stays as it was for who has left`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve"),
                try await server.register("Dan")
            )
            let group = try await ada.startGroup(with: [bob, eve])
            let path = "/v1/conversations/\(group.id)"
            try await show("joined", of: path, by: ada)
            let first = try await ada.say("Earlier secret", in: group.id)
            _ = try await ada.send(.put, "\(path)/participants/\(dan.id)")
            try await ada.say("Hello secret", in: group.id)
            #expect(try await dan.send(.post, "\(path)/leave").status == .ok)
            let before = try await dan.get(HistoryPage.self, "\(path)/messages").items
            #expect(before.compactMap(\.text) == ["Hello secret"])

            try await show("all", of: path, by: ada)
            // Eve is removed while all is shown, which then ends.
            #expect(try await ada.send(.delete, "\(path)/participants/\(eve.id)").status == .noContent)
            #expect(try await dan.get(HistoryPage.self, "\(path)/messages").items == before)
            try await dan.send(.get, first.path).expect(.notFound)
            let found = try await dan.send(.post, "/v1/search", body: .object(["query": .string("secret")]))
                .decode(ListPage<SearchResult>.self, status: .ok)
            #expect(found.items.compactMap(\.message.text) == ["Hello secret"])
            #expect(try await texts(of: path, for: bob) == ["Earlier secret", "Hello secret"])
            try await show("joined", of: path, by: ada)
            #expect(try await texts(of: path, for: eve) == ["Earlier secret", "Hello secret"])

            // Who comes back goes by what is shown now.
            for person in [dan, eve] { _ = try await ada.send(.put, "\(path)/participants/\(person.id)") }
            #expect(try await texts(of: path, for: eve) == [])
            try await show("all", of: path, by: ada)
            #expect(try await texts(of: path, for: dan) == ["Earlier secret", "Hello secret"])
        }
    }

    @Test func `what a group is called and who is in it stays as it was for who has left`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve, dan) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve"),
                try await server.register("Dan")
            )
            let group = try await ada.startGroup(with: [bob, eve, dan])
            let path = "/v1/conversations/\(group.id)"
            #expect(try await dan.send(.post, "\(path)/leave").status == .ok)
            let before = try await dan.get(Conversation.self, path)
            let people = try await dan.get(ListPage<Participant>.self, "\(path)/participants")
            #expect(before.groupName == "Friends" && people.items.map(\.userId) == before.participantIds)
            #expect(before.me.leftAt == before.updatedAt)
            #expect(try await bob.get(Conversation.self, path).me.leftAt == nil)

            let image = try await ada.upload(try SampleImage.bytes("alpha.png"), "kind=image", type: "image/png")
            let changes: [JSONValue] = [
                .object(["groupName": .string("Without Dan")]), .object(["groupIcon": .string("\(image.id)")]),
                .object(["joinPolicy": .string("open")]), .object(["slowModeSeconds": .number(10)]),
                .object(["permissions": .object(["send": .string("admins")])]),
            ]
            for change in changes {
                #expect(try await ada.send(.patch, path, body: change).status == .ok)
            }
            for (person, role) in [(bob, "owner"), (ada, "member")] {
                let body: JSONValue = .object(["role": .string(role)])
                #expect(try await ada.send(.put, "\(path)/participants/\(person.id)", body: body).status == .ok)
            }
            #expect(try await eve.send(.post, "\(path)/leave").status == .ok)
            #expect(try await dan.get(Conversation.self, path) == before)
            #expect(try await dan.get(ListPage<Participant>.self, "\(path)/participants") == people)
            // The icon was put up later.
            try await dan.send(.get, "/v1/attachments/\(image.id)").expect(.notFound)
            let now = try await bob.get(Conversation.self, path)
            #expect(now.groupName == "Without Dan" && now.groupIcon != nil && now.participantCount == 2)

            let back = try await dan.send(.post, "\(path)/join").decode(Conversation.self, status: .ok)
            #expect(back.groupName == "Without Dan" && back.permissions?.send == .admins && back.slowModeSeconds == 10)
            #expect(back.participants?.first { $0.userId == bob.id }?.role == .owner)
        }
    }

    @Test func `who has received and read one's messages stays as it was for who has left`() async throws {
        try await TestServer.with { server in
            let (ada, bob, dan) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Dan")
            )
            let group = try await ada.startGroup(with: [bob, dan])
            let said = try await dan.say("Who reads this?", in: group.id)
            func read(by person: Person) async throws {
                let mark: JSONValue = .object(["conversationId": .string("\(group.id)"), "readSeq": .number(1)])
                let answer = try await person.send(.post, "/v1/receipts", body: .object(["receipts": .array([mark])]))
                #expect(answer.status == .ok, "\(answer.text)")
            }
            try await read(by: bob)
            #expect(try await dan.send(.post, "/v1/conversations/\(group.id)/leave").status == .ok)
            let before = try await dan.get(Message.self, said.path)
            let receipts = try await dan.get(ListPage<MessageReceipt>.self, "\(said.path)/receipts")
            #expect(before.recipientCount == 2 && before.deliveredCount == 1 && before.readCount == 1)
            #expect(receipts.items.count { $0.deliveredAt != nil && $0.readAt != nil } == 1)

            try await read(by: ada)
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(group.id)").me.readSeq == 1)
            #expect(try await dan.get(Message.self, said.path) == before)
            #expect(try await dan.get(ListPage<MessageReceipt>.self, "\(said.path)/receipts") == receipts)
        }
    }
}
