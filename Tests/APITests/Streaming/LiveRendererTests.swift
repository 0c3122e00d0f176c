import EventSourcing
import EventStore
import Foundation
import Messaging
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import Live
@testable import ReadModels

/// What a renderer makes of single events, and what it remembers between them.
@Suite(.database, .timeLimit(.minutes(10))) struct LiveRendererTests {
    /// A renderer for one viewer, on what the tables show; what counts as projected says `checkpoints`.
    private func renderer(for viewer: LivePerson, on server: LiveServer, _ checkpoints: Checkpoints) -> LiveRenderer {
        LiveRenderer(
            queries: server.queries,
            checkpoints: checkpoints,
            feed: server.eventStore.feed,
            log: server.eventStore.identity,
            epoch: server.hub.epoch,
            connected: { _ in [viewer.id] }
        )
    }

    /// The newest event of a stream, once it is projected.
    private func newest(of stream: StreamID, on server: LiveServer) async throws -> RecordedEvent {
        let event = try #require(try await server.eventStore.log.events(of: stream, after: 0, limit: 1_000).last)
        let place = [event.partition: event.position]
        try #require(try await server.checkpoints.wait(for: place, timeout: .seconds(60)))
        return event
    }

    private func item(for event: RecordedEvent, by renderer: LiveRenderer) async throws -> HubItem {
        try await renderer.item(for: try #require(Announcement(of: event)))
    }

    private func name(of person: LivePerson, _ name: String) async throws {
        try await TestDatabase.current.administrator.execute(
            "UPDATE read_live.users SET display_name = \(name) WHERE user_id = \(person.id)"
        )
    }

    @Test func `a name that was read while its change was on the way is not remembered`() async throws {
        try await LiveServer.with { server in
            let (ada, ben, eve) = (
                try await server.person("Ada"), try await server.person("Ben"), try await server.person("Eve")
            )
            let room = try await server.startGroup([ada, ben, eve])
            try await server.say("hello", ada, in: room)
            try await server.rename(ada, to: "Countess")
            let message = try await newest(of: StreamID(.conversation, room), on: server)
            let change = try await newest(of: StreamID(.user, ada.id), on: server)
            let checkpoints = Checkpoints(partitions: 4)
            let renderer = renderer(for: ben, on: server, checkpoints)
            func shown() async throws -> String {
                let block = try await item(for: message, by: renderer).blocks.block(for: ben.id)
                return String(buffer: try #require(block).withoutID)
            }
            // As the tables are before the change is projected.
            try await name(of: ada, "Ada")
            let changing = Task { try await item(for: change, by: renderer) }
            while checkpoints.waiting == 0 { await Task.yield() }
            #expect(try await shown().contains("\"Ada\""))
            try await name(of: ada, "Countess")
            checkpoints.set(change.partition, to: change.position)
            _ = try await changing.value
            #expect(try await shown().contains("\"Countess\""))
        }
    }

    @Test func `whose texts an event shows is known when one of them is erased`() async throws {
        try await LiveServer.with { server in
            let (ada, ben, eve) = (
                try await server.person("Ada"), try await server.person("Ben"), try await server.person("Eve")
            )
            let room = try await server.startGroup([ada, ben, eve])
            let stream = StreamID(.conversation, room)
            let renderer = renderer(for: eve, on: server, server.checkpoints)
            let asked = try await server.ask("a question", ada, in: room)
            let question = try await newest(of: stream, on: server)
            #expect(try await item(for: question, by: renderer).quoted == [ada.id])
            try await server.say("an answer", ben, in: room, replyTo: MessageReference(id: asked, seq: 1))
            let answer = try await newest(of: stream, on: server)
            #expect(try await item(for: answer, by: renderer).quoted == [ada.id, ben.id])
            // A conversation is shown with its last message, and what tells of its name with that.
            let change = ChangeGroup(
                actor: ada.id,
                name: "New",
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil
            )
            try await server.command(.changeGroup(change), on: room, by: ada.id)
            let changed = try await newest(of: stream, on: server)
            #expect(try await item(for: changed, by: renderer).quoted == [ada.id, ben.id])
        }
    }

    @Test func `whoever has reacted and comes back meanwhile is told nothing that is others'`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(53)
            let (ada, ben, late) = (people[0], people[1], people[52])
            let room = try await server.startGroup(people)
            let stream = StreamID(.conversation, room)
            let renderer = renderer(for: ben, on: server, server.checkpoints)
            let message = try await server.ask("Well?", ada, in: room)
            try await server.change(message, by: .react("\u{1F44D}"), late, in: room)
            var blocks = try await item(for: try await newest(of: stream, on: server), by: renderer).blocks
            #expect(blocks.block(for: ben.id) != nil)
            #expect(blocks.block(for: late.id) == nil)
            #expect(blocks.block(for: people[2].id) != nil)
            try await server.change(message, by: .takeBack("\u{1F44D}"), late, in: room)
            // Of so many not all are named.
            for person in people[2...] { try await server.change(message, by: .react("\u{1F44D}"), person, in: room) }
            blocks = try await item(for: try await newest(of: stream, on: server), by: renderer).blocks
            #expect(blocks.block(for: ben.id) != nil)
            #expect(blocks.block(for: late.id) == nil)
        }
    }

    @Test func `whoever has left since is not told of what came after, and reads the log`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let (owner, other, leaver, member) = (people[0], people[1], people[2], people[3])
            let room = try await server.startGroup(people)
            let stream = StreamID(.conversation, room)
            let renderer = renderer(for: leaver, on: server, server.checkpoints)
            func promote(to role: Role) async throws {
                let put = PutParticipant(actor: owner.id, person: other.id, role: role, maxMembers: 1_000)
                try await server.command(.putParticipant(put), on: room, by: owner.id)
            }
            let asked = try await server.ask("first words", owner, in: room)
            var events: [RecordedEvent] = []
            try await server.say("an answer", other, in: room, replyTo: MessageReference(id: asked, seq: 1))
            events.append(try await newest(of: stream, on: server))
            try await server.change(asked, by: .edit("second words"), owner, in: room)
            events.append(try await newest(of: stream, on: server))
            try await promote(to: .admin)
            events.append(try await newest(of: stream, on: server))
            for event in events {
                #expect(try await item(for: event, by: renderer).blocks.block(for: leaver.id) != nil)
            }

            try await server.remove(leaver, from: room, by: owner)
            let removal = try await newest(of: stream, on: server)
            try await server.change(asked, by: .edit("third words"), owner, in: room)
            try await promote(to: .owner)
            _ = try await newest(of: stream, on: server)
            for event in events {
                let blocks = try await item(for: event, by: renderer).blocks
                #expect(blocks.block(for: leaver.id) == nil)
                #expect(blocks.block(for: member.id) != nil)
            }
            #expect(try await item(for: removal, by: renderer).blocks.block(for: leaver.id) != nil)
        }
    }
}
