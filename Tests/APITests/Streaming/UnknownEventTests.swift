import EventSourcing
import EventStore
import Foundation
import Logging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import Live

/// A log that holds an event of a newer program.
@Suite(.database, .timeLimit(.minutes(10))) struct UnknownEventTests {
    private static func position(of cursor: String, in partition: Int) throws -> Int64 {
        try #require(Cursor(text: cursor)?.positions[partition])
    }

    /// Appends an event of a type that nobody knows yet.
    private static func appendUnknown(to room: UUID, by actor: UUID, _ server: LiveServer) async throws -> Int64 {
        let none: [UUID?] = [nil]
        let rows = try await TestDatabase.current.pool.query(
            """
            SELECT at_position FROM parley.append(
                \([Int32(server.eventStore.identity.partition(of: room))]), \([true]), \([room]), \(["conversation"]),
                \([true]), \([Int64?.none]), \(["pollOpened"]), \([Int16(1)]), \([UUID()]), \([Int32(0)]),
                \([UUID?.some(actor)]), \([UUID?.some(actor)]), \(none), \(none), \([Date()]),
                \([JSONText(Array("{}".utf8))]), \([Bytes?.none]), \(none), \([Bytes?.none]))
            """
        )
        return try #require(rows.first).decode(0)
    }

    private struct Scene {
        let server: LiveServer
        let ada: LivePerson
        let ben: LivePerson
        /// The partition that holds an event of a newer program, and where.
        let partition: Int
        let position: Int64
        /// A conversation behind the event in that partition, and one in another.
        let behind: UUID
        let elsewhere: UUID
        /// A cursor of Ben's before the event.
        let before: String
        let stream: LiveStream
    }

    private static func with(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        try await LiveServer.with { server in
            let (ada, ben, eve) = (
                try await server.person("Ada"), try await server.person("Ben"), try await server.person("Eve")
            )
            let room = try await server.startGroup([ada, ben, eve])
            let behind = try await server.startGroup([ada, ben, eve], besides: room)
            let log = server.eventStore.identity
            var elsewhere = behind
            while log.partition(of: elsewhere) == log.partition(of: room) {
                elsewhere = try await server.startGroup([ada, ben, eve])
            }
            let stream = try await server.readyStream(of: ben)
            try await server.say("before", ada, in: behind)
            #expect(try await stream.nextText() == "before")
            let position = try await appendUnknown(to: room, by: ada.id, server)
            try await server.say("behind", ada, in: behind)
            try await body(
                Scene(
                    server: server,
                    ada: ada,
                    ben: ben,
                    partition: log.partition(of: room),
                    position: position,
                    behind: behind,
                    elsewhere: elsewhere,
                    before: stream.lastID,
                    stream: stream
                )
            )
        }
    }

    @Test func `streams stop before an event of a newer program, in its partition alone`() async throws {
        try await Self.with { scene in
            let server = scene.server
            // It is up to date when the hub knows that it gets no further.
            let fresh = try await server.readyStream(of: scene.ben)
            let resumed = try await server.readyStream(of: scene.ben, since: scene.before)
            try await server.say("elsewhere", scene.ada, in: scene.elsewhere)
            for stream in [scene.stream, fresh, resumed] {
                #expect(try await stream.nextText() == "elsewhere")
                #expect(try Self.position(of: stream.lastID, in: scene.partition) < scene.position)
                #expect(!stream.parsed.events.contains { $0.data.contains("\"behind\"") })
            }
        }
    }

    @Test func `a catch-up and a snapshot lead no further than what this program understands`() async throws {
        try await Self.with { scene in
            let server = scene.server
            let fresh = try await server.readyStream(of: scene.ben)
            try await server.say("elsewhere", scene.ada, in: scene.elsewhere)
            #expect(try await fresh.nextText() == "elsewhere")
            // Streams may be told before the read models have it; a catch-up is of what those have.
            let partition = server.eventStore.identity.partition(of: scene.elsewhere)
            let head = try await server.eventStore.log.heads()[partition]
            #expect(try await server.checkpoints.wait(for: [partition: head], timeout: .seconds(60)))
            let delta = try await server.get(SyncDelta.self, "/v1/sync?since=\(scene.before)", as: scene.ben)
            let texts = delta.events.compactMap { event -> String? in
                if case .messageCreated(let created) = event.event { created.message.text } else { nil }
            }
            #expect(texts == ["elsewhere"])
            let snapshot = try await server.get(SyncSnapshot.self, "/v1/sync", as: scene.ben)
            for cursor in [delta.cursor, snapshot.cursor] {
                #expect(try Self.position(of: cursor, in: scene.partition) < scene.position)
            }
        }
    }

    @Test func `a catch-up looks for itself where the hub has not looked yet`() async throws {
        try await Self.with { scene in
            // As where another process has projected the event before this one's hub has heard of it.
            let parts = scene.server
            let heads = try await parts.eventStore.log.heads()
            let start = PositionVector(heads.map { _ in 0 })
            let hub = Hub(parts.eventStore, parts.queries, parts.checkpoints, start, StreamLimits(), LiveServer.logger)
            let understood = try await hub.understood(PositionVector(heads))
            #expect(understood[scene.partition] == scene.position - 1)
            for partition in heads.indices where partition != scene.partition {
                #expect(understood[partition] == heads[partition])
            }
        }
    }
}
