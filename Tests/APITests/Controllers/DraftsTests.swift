import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

/// What somebody has begun to write, over HTTP and the stream.
@Suite(.database, .timeLimit(.minutes(10))) struct DraftsTests {
    private func draft(_ person: Person, _ id: WireID, _ text: String?, at time: String? = nil) async throws -> Answer {
        var members: [String: JSONValue] = ["draft": text.map { .string($0) } ?? .null]
        members["draftUpdatedAt"] = time.map { .string($0) }
        return try await person.send(.patch, "/v1/conversations/\(id)/me", body: .object(members))
    }

    @Test func `a draft is kept for its writer, and for nobody else`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await ada.get(
                Conversation.self,
                "/v1/conversations/\(id)",
                after: try await ada.send(
                    .patch,
                    "/v1/conversations/\(id)/me",
                    body: .object(["pinned": .bool(true)])
                )
            )
            SecretWatch.add("Dear Bob, about the")
            let me = try await draft(ada, id, "Dear Bob, about the").decode(MemberSettings.self, status: .ok)
            #expect(me.draft == "Dear Bob, about the" && me.draftUpdatedAt != nil && me.pinned)
            #expect(try await ada.get(Conversation.self, "/v1/conversations/\(id)").me == me)
            let list = try await ada.get(ListPage<Conversation>.self, "/v1/conversations").items
            #expect(list.map(\.me) == [me])
            #expect(try await bob.get(Conversation.self, "/v1/conversations/\(id)").me.draft == nil)
            let stored = try await TestDatabase.current.pool.query(
                "SELECT position('Dear'::bytea IN d.sealed)::int AS place FROM parley.drafts d"
            )
            #expect(try stored.map { try $0.decode("place", as: Int.self) } == [0])
            for nothing in [nil, ""] {
                _ = try await draft(ada, id, "Dear Bob, about the")
                let cleared = try await draft(ada, id, nothing).decode(MemberSettings.self)
                #expect(cleared.draft == nil && cleared.draftUpdatedAt != nil)
            }
        }
    }

    @Test func `the later draft wins, by the clocks of the devices, and none is later than now`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await ada.send(.patch, "/v1/conversations/\(id)/me", body: .object(["pinned": .bool(true)]))
            for text in ["The later one", "The earlier one", "From the future", "Now"] { SecretWatch.add(text) }
            _ = try await draft(ada, id, "The later one", at: "2026-03-01T10:00:01.000Z")
            let earlier = try await draft(ada, id, "The earlier one", at: "2026-03-01T10:00:00.000Z")
            #expect(try earlier.decode(MemberSettings.self).draft == "The later one")
            // A device that was away does not bring back what was cleared since.
            _ = try await draft(ada, id, "", at: "2026-03-01T10:00:02.000Z")
            let late = try await draft(ada, id, "The later one", at: "2026-03-01T10:00:01.500Z")
            #expect(try late.decode(MemberSettings.self).draft == nil)
            _ = try await draft(ada, id, "From the future", at: "2999-01-01T00:00:00.000Z")
            #expect(try await draft(ada, id, "Now").decode(MemberSettings.self).draft == "Now")
        }
    }

    @Test func `the end of a draft has its time, by which it is later than the draft`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            let pin: JSONValue = .object(["pinned": .bool(true)])
            let before = try await bob.send(.patch, "/v1/conversations/\(group)/me", body: pin)
                .decode(MemberSettings.self, status: .ok)
            #expect(before.draft == nil && before.draftUpdatedAt == nil)
            _ = try await draft(bob, group, "Soon over", at: "2999-01-01T00:00:00.000Z")
            let end = try await draft(bob, group, nil)
            let ended = try end.decode(MemberSettings.self, status: .ok)
            let time = try #require(ended.draftUpdatedAt)
            #expect(ended.draft == nil)
            let late = try await draft(bob, group, "Soon over", at: "2026-03-01T10:00:00.000Z")
            #expect(try late.decode(MemberSettings.self) == ended)
            let list = try await bob.get(ListPage<Conversation>.self, "/v1/conversations").items
            #expect(list.map(\.me.draftUpdatedAt) == [time])
            // What was written before a membership is none of it, nor is that it ended.
            let path = "/v1/conversations/\(group)/participants/\(bob.id)"
            _ = try await ada.send(.delete, path)
            let added = try await ada.send(.put, path, body: .object([:]))
            let again = try await bob.get(Conversation.self, "/v1/conversations/\(group)", after: added).me
            #expect(again.draft == nil && again.draftUpdatedAt == nil)
        }
    }

    @Test func `the other devices are told, outside the order of the log`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let (own, others) = (
                try await server.readyStream(of: people[0]), try await server.readyStream(of: people[1])
            )
            SecretWatch.add("Dear all")
            let answer = try await server.client.execute(
                uri: "/v1/conversations/\(WireID(group))/me",
                method: .patch,
                headers: [.authorization: "Bearer \(people[0].token)", .contentType: "application/json"],
                body: ByteBuffer(string: #"{"draft": "Dear all"}"#)
            )
            #expect(answer.status == .ok)
            guard case .memberUpdated(let updated) = try await own.next(.memberUpdated) else { return }
            #expect(updated.conversationId == WireID(group) && updated.me.draft == "Dear all")
            _ = try await server.client.execute(
                uri: "/v1/conversations/\(WireID(group))/me",
                method: .patch,
                headers: [.authorization: "Bearer \(people[0].token)", .contentType: "application/json"],
                body: ByteBuffer(string: #"{"draft": null}"#)
            )
            guard case .memberUpdated(let ended) = try await own.next(.memberUpdated) else { return }
            #expect(ended.me.draft == nil)
            #expect(try #require(ended.me.draftUpdatedAt) >= #require(updated.me.draftUpdatedAt))
            try await server.say("Hi", people[2], in: group)
            while let event = await others.next(), event.name != "message.created" {
                #expect(event.name != "member.updated")
            }
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[0])
            #expect(snapshot.conversations.map(\.conversation.me.draft) == [nil])
            #expect(snapshot.conversations.map(\.conversation.me.draftUpdatedAt) == [ended.me.draftUpdatedAt])
        }
    }

    @Test func `a draft ends with the membership, with clearing, and with the person`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await ada.startGroup(with: [bob, eve]).id
            SecretWatch.add("Soon gone")
            func bobsDraft(after answer: Answer) async throws -> String? {
                try await bob.get(Conversation.self, "/v1/conversations/\(group)", after: answer).me.draft
            }
            _ = try await bob.send(.patch, "/v1/conversations/\(group)/me", body: .object(["pinned": .bool(true)]))
            _ = try await draft(bob, group, "Soon gone")
            let path = "/v1/conversations/\(group)/participants/\(bob.id)"
            let removed = try await ada.send(.delete, path)
            #expect(try await bobsDraft(after: removed) == nil)
            try await draft(bob, group, "Soon gone").expect(.forbidden)
            let added = try await ada.send(.put, path, body: .object([:]))
            #expect(try await bobsDraft(after: added) == nil)
            _ = try await draft(bob, group, "Soon gone")
            let cleared = try await bob.send(.delete, "/v1/conversations/\(group)/me")
            #expect(try await bobsDraft(after: cleared) == nil)
            _ = try await draft(bob, group, "Soon gone")
            try await server.dependencies.eraser.carryOut(bob.id.uuid)
            let left = try await TestDatabase.current.pool.query("SELECT count(*)::int AS n FROM parley.drafts")
            #expect(try left.map { try $0.decode("n", as: Int.self) } == [0])
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            try await draft(ada, id, String(repeating: "a", count: 10_001)).expect(.validationFailed, pointer: "/draft")
            try await draft(ada, id, "Hi", at: "today").expect(.validationFailed, pointer: "/draftUpdatedAt")
            let number: JSONValue = .object(["draft": .number(1)])
            try await ada.send(.patch, "/v1/conversations/\(id)/me", body: number)
                .expect(.validationFailed, pointer: "/draft")
        }
    }
}
