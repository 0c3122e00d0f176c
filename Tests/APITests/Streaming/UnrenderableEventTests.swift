import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Live

/// An event that cannot be rendered, however often it is tried.
@Suite(.database, .timeLimit(.minutes(10))) struct UnrenderableEventTests {
    @Test func `it holds up nobody, and those concerned go on behind it`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let broken = try await server.startGroup([people[0], people[1], people[3]])
            let room = try await server.startGroup([people[0], people[2], people[3]], besides: broken)
            let common = try await server.startGroup([people[0], people[1], people[3]])
            try await server.waitForReadModels()
            let start = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1]).cursor
            let concerned = try await server.readyStream(of: people[1])
            let other = try await server.readyStream(of: people[2])
            // What no row can be read from that shows the conversation.
            try await TestDatabase.current.administrator.execute(
                "UPDATE read_live.conversations SET created_at = 'infinity' WHERE conversation_id = \(broken)"
            )
            let change = ChangeGroup(
                actor: people[0].id,
                name: "New",
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil
            )
            try await server.command(.changeGroup(change), on: broken, by: people[0].id)
            try await server.say("go on", people[0], in: room)
            #expect(try await other.nextText() == "go on")
            #expect(server.hub.fallbacks > 0)
            // Of the conversation it cannot be told either way, and of all else it is.
            try await server.say("and on", people[0], in: common)
            #expect(try await concerned.nextText() == "and on")
            // A stream that reads the log is before the hub, which tries the event again for a while: that alone says when.
            let deadline = try await TestDeadline.within(5)
            while server.hub.passedOver.count == 0 { try await deadline.check("the event is passed over") }
            let passedOver = server.hub.passedOver.count
            try await server.waitForReadModels()
            let delta = try await server.get(SyncDelta.self, "/v1/sync?since=\(start)", as: people[1])
            #expect(!delta.hasMore && delta.events.contains { $0.event.knownName == .messageCreated })
            // What was noted once is not noted for every client.
            #expect(server.hub.passedOver.count == passedOver)
        }
    }
}
