import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Who gets which event on a stream: everyone has a stream open, something happens, and what each got until a later
/// message to all is compared with the table.
@Suite(.database, .timeLimit(.minutes(10))) struct StreamRightsTests {
    @Test func `every kind of event is in the table`() {
        // Those of older versions are read only.
        let kinds = EventCatalog.messaging.kinds.filter { $0.upcast == nil }
        let entered = StreamRightsTable.rows.reduce(into: Set<String>()) { $0.formUnion($1.types) }
        let missing = kinds.filter { !entered.contains($0.type) }
        #expect(missing.isEmpty, "kinds of events without a row in StreamRightsTable: \(missing)")
        let invented = entered.subtracting(kinds.map(\.type))
        #expect(invented.isEmpty, "rows of kinds that there are not: \(invented)")
    }

    @Test(arguments: StreamRightsTable.rows) func `everybody gets what the table says`(
        _ row: StreamRightsTable.Row
    ) async throws {
        try await LiveServer.with { server in
            let scene = try await StreamRightsScene(server)
            var streams: [StreamWatcher: LiveStream] = [:]
            for watcher in StreamWatcher.allCases {
                streams[watcher] = try await server.readyStream(of: scene[watcher])
            }
            let before = try await server.eventStore.log.heads()
            try await row.act(scene)
            let appended = try await Self.types(after: before, in: server)
            #expect(appended == row.types)
            try await server.say("barrier", scene.crier, in: scene.square)
            for (watcher, stream) in streams {
                let got = try await Self.events(until: scene.square, on: stream)
                let expected = Set(row.receivers.filter { $0.value.contains(watcher) }.keys)
                #expect(got == expected, "\(watcher)")
            }
        }
    }

    /// The types of what the log holds past these positions.
    private static func types(after positions: [Int64], in server: LiveServer) async throws -> Set<String> {
        var types: Set<String> = []
        for (partition, position) in positions.enumerated() {
            let events = try await server.eventStore.log.events(partition: partition, after: position, limit: 1_000)
            for case .event(let event) in events.map(\.body) { types.insert(event.type) }
        }
        return types
    }

    /// The names of the events before the first message in a conversation.
    private static func events(until conversation: UUID, on stream: LiveStream) async throws -> Set<String> {
        var names: Set<String> = []
        while let event = await stream.nextInOrder() {
            if case .messageCreated(let created) = try StreamEvent(event),
                created.conversationId == WireID(conversation)
            {
                return names
            }
            names.insert(event.name)
        }
        Issue.record("the stream ended")
        return names
    }

    @Test func `what becomes of a message does not reach those who may not see it`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let room = try await server.startGroup(Array(people.prefix(3)), visibility: .joined)
            let message = try await server.ask("Old", people[0], in: room)
            try await server.add(people[3], to: room, by: people[0])
            let late = try await server.readyStream(of: people[3])
            let early = try await server.readyStream(of: people[1])
            try await server.change(message, by: .edit("Older"), people[0], in: room)
            try await server.change(message, by: .react("\u{1F44D}"), people[1], in: room)
            try await server.change(message, by: .pin, people[0], in: room)
            await #expect(throws: ConversationRejection.messageNotFound) {
                try await server.change(message, by: .react("\u{1F44D}"), people[3], in: room)
            }
            try await server.change(message, by: .delete, people[0], in: room)
            try await server.say("New", people[0], in: room)
            for name in [
                StreamEventName.messageUpdated, .reactionUpdated, .messageUpdated, .messageDeleted, .messageCreated,
            ] {
                #expect(await early.nextInOrder()?.name == name.rawValue)
            }
            #expect(await late.nextInOrder()?.name == "message.created")
        }
    }

    @Test func `nobody without a live session opens a stream`() async throws {
        try await LiveServer.with { server in
            let gone = try await server.person("Gone")
            try await server.deactivate(gone)
            let nobody = LivePerson(id: gone.id, name: "", session: UUID(), token: "e30.e30.e30")
            for person in [gone, nobody] {
                let stream = try await server.stream(of: person)
                #expect(await stream.next() == nil)
                #expect(stream.head.hasPrefix("HTTP/1.1 401 "))
            }
        }
    }
}
