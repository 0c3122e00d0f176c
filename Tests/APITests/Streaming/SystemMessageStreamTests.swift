import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Live

/// System messages on streams: live, later and by pages they are the same.
@Suite(.database, .timeLimit(.minutes(10))) struct SystemMessageStreamTests {
    @Test func `what happens to a group is told as a message, right behind what it is`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let member = try await server.stream(of: people[1])
            let start = await member.next()?.lastID
            let newcomer = try await server.readyStream(of: people[3])
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.add(people[3], to: group, by: people[0])
            try await server.remove(people[3], from: group, by: people[0])
            try await server.say("The end", people[0], in: group)
            let live = try await Self.received(member)
            #expect(
                live.map(\.name) == [
                    "conversation.created", "message.created", "participant.added", "message.created",
                    "participant.removed", "message.created", "message.created",
                ]
            )
            // Of two that belong together, the second has the id.
            #expect(live[0].lastID == start && live[1].lastID != start)
            #expect(live[2].lastID == live[1].lastID && live[3].lastID != live[1].lastID)
            let again = try await Self.received(try await server.stream(of: people[1], since: start))
            #expect(again.map(\.name) == live.map(\.name))
            #expect(again.filter(\.isSystemMessage).map(\.data) == live.filter(\.isSystemMessage).map(\.data))
            let page = try await server.get(HistoryPage.self, "/v1/conversations/\(group)/messages", as: people[1])
            let messages = try live.compactMap { event -> Message? in
                guard case .messageCreated(let created) = try StreamEvent(event) else { return nil }
                return created.message
            }
            #expect(messages.filter { $0.kind == .system } == page.items.filter { $0.kind == .system })
            // Whoever is removed has the conversation until then.
            let names = ["conversation.created", "message.created", "message.created", "conversation.removed"]
            for name in names {
                var event = await newcomer.nextOfAll()
                while event?.name == "unread.updated" { event = await newcomer.nextOfAll() }
                #expect(event?.name == name)
            }
            // Whoever is gone by the time that being added is rendered reads from the log what it was.
            #expect(server.hub.fallbacks <= 2)
        }
    }

    @Test func `who may not see it is told nothing of it, live and later`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            let stranger = try await server.stream(of: people[3])
            let start = await stranger.next()?.lastID
            try await server.remove(people[2], from: group, by: people[0])
            let others = try await server.startGroup([people[3], people[0], people[1]], besides: group)
            for stream in [stranger, try await server.stream(of: people[3], since: start)] {
                let message = try await stream.nextSystemMessage()
                #expect(message.conversationId.uuid == others)
            }
        }
    }

    @Test func `a page of a delta never ends between the two`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let group = try await server.startGroup(Array(people.prefix(3)))
            try await server.waitForReadModels()
            var cursor = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1]).cursor
            for _ in 0..<3 {
                try await server.add(people[3], to: group, by: people[0])
                try await server.remove(people[3], from: group, by: people[0])
            }
            try await server.waitForReadModels()
            var names: [String] = []
            var hasMore = true
            while hasMore {
                let delta = try await server.get(SyncDelta.self, "/v1/sync?since=\(cursor)&limit=1", as: people[1])
                let ordered = delta.events.filter { $0.event.knownName != .unreadUpdated }
                #expect(ordered.isEmpty || ordered.map { $0.id != nil } == [false, true])
                names += ordered.map(\.event.name)
                (cursor, hasMore) = (delta.cursor, delta.hasMore)
            }
            let one = ["participant.added", "message.created", "participant.removed", "message.created"]
            #expect(names == one + one + one)
        }
    }

    @Test func `what the erased called a group is gone from its history, and told to nobody any more`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            SecretWatch.add("Engines 61d0")
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[1])
            let start = stream.lastID
            let change = ChangeGroup(
                actor: people[0].id,
                name: "Engines 61d0",
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil
            )
            try await server.command(.changeGroup(change), on: group, by: people[0].id)
            #expect(String(describing: try await stream.nextSystemMessage().data).contains("Engines 61d0"))
            try await server.command(.eraseMember(people[0].id), on: group, by: people[0].id)
            try await server.waitForReadModels()
            let page = try await server.get(HistoryPage.self, "/v1/conversations/\(group)/messages", as: people[1])
            #expect(page.items.count > 1 && !String(describing: page.items).contains("Engines 61d0"))
            let again = try await server.stream(of: people[1], since: start)
            #expect(!String(describing: try await again.nextSystemMessage().data).contains("Engines 61d0"))
        }
    }

    /// What a stream receives up to a text, but for counts.
    private static func received(_ stream: LiveStream) async throws -> [SentEvents.Event] {
        var events: [SentEvents.Event] = []
        while let event = await stream.nextOfAll() {
            if ["hello", "ready", "unread.updated"].contains(event.name) { continue }
            events.append(event)
            if event.name == "message.created", event.data.contains("The end") { return events }
        }
        throw LiveStream.StreamOver()
    }
}
