import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

/// One bad partition, and the others of its worker.
@Suite(.database, .timeLimit(.minutes(10))) struct PartitionFaultTests {
    let people = (0..<3).map { _ in UUID() }

    private func begin(_ server: TestServer) async throws -> (bad: UUID, good: UUID) {
        try await server.register(people)
        let rooms = (bad: server.id(in: 0), good: server.id(in: 2))
        for room in [rooms.bad, rooms.good] {
            try await server.startGroup(room, people)
            try await server.send("one", to: room, by: people[0])
            try await server.send("two", to: room, by: people[1])
        }
        return rooms
    }

    @Test func `a position that is missing stops its partition right before it, and no other`() async throws {
        try await TestServer.with(projecting: false) { server in
            let rooms = try await begin(server)
            let position = try await position(of: "two", by: people[1], in: rooms.bad)
            try await server.send("three", to: rooms.bad, by: people[0])
            try await behindTheBack("DELETE FROM parley.events WHERE partition = 0 AND position = \(position)")
            // A process that has nothing of it in memory.
            try await TestServer.with { other in
                try await expectStopped(
                    other,
                    at: position,
                    "the log is damaged: partition 0 has position \(position + 1) where \(position) should be"
                )
                try await expectGoesOn(other, rooms.good)
            }
        }
    }

    @Test func `a key that cannot be read stops its partition right before its first event`() async throws {
        try await TestServer.with(projecting: false) { server in
            // Somebody who is heard of in one partition only.
            let (mute, other) = (server.id(in: 0), UUID())
            let (bad, good) = (server.id(in: 0), server.id(in: 2))
            try await server.register([people[0], mute, other])
            for room in [bad, good] {
                try await server.startGroup(room, [people[0], mute, other])
                try await server.send("one", to: room, by: people[0])
            }
            try await server.send("two", to: bad, by: mute)
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT position FROM parley.events WHERE stream_id = \(mute)"
            )
            let position: Int64 = try #require(try rows.first?.decode("position"))
            try await behindTheBack(
                "UPDATE parley.person_keys SET wrapped = sha512(wrapped) WHERE person_id = \(mute)"
            )
            try await TestServer.with { other in
                try await expectStopped(other, at: position, "Crypto")
                try await expectGoesOn(other, good)
            }
        }
    }

    @Test func `a statement that does not come to an end holds up its partition only, until it does`() async throws {
        try await TestServer.with(patience: .milliseconds(200)) { server in
            let rooms = try await begin(server)
            try await server.waitForProjector()
            var held: Cursor?
            try await TestDatabase.current.administrator.withTransaction { somebody in
                try await somebody.execute(
                    "SELECT FROM read_live.conversations WHERE conversation_id = \(rooms.bad) FOR UPDATE"
                )
                held = try await server.send("three", to: rooms.bad, by: people[0])
                let position = try #require(held?.positions[0])
                try await expectGoesOn(server, rooms.good)
                try await expectStopped(server, at: position, "SQLSTATE 57014")
                try await expectGoesOn(server, rooms.good)
                // What comes later waits behind it, in its order.
                held = try await server.send("four", to: rooms.bad, by: people[0])
            }
            let passed = try await server.checkpoints.wait(for: try #require(held?.positions), timeout: .seconds(60))
            #expect(passed)
            #expect(server.checkpoints.faults.isEmpty)
            #expect(try await server.verification().run().findings == [])
        }
    }

    @Test func `a partition that was stopped is projected with the others again`() async throws {
        try await TestServer.with(patience: .milliseconds(200)) { server in
            let rooms = try await begin(server)
            try await server.waitForProjector()
            for _ in 0..<3 {
                try await TestDatabase.current.administrator.withTransaction { somebody in
                    try await somebody.execute(
                        "SELECT FROM read_live.conversations WHERE conversation_id = \(rooms.bad) FOR UPDATE"
                    )
                    try await server.send("held", to: rooms.bad, by: people[0])
                    while server.checkpoints.faults.isEmpty { await Task.pause() }
                }
                try await server.waitForProjector()
                #expect(server.checkpoints.faults.isEmpty)
                try await expectGoesOn(server, rooms.bad)
            }
        }
    }

    private func expectGoesOn(_ server: TestServer, _ room: UUID) async throws {
        for _ in 0..<3 {
            let token = try await server.send("goes on", to: room, by: people[0])
            #expect(try await server.checkpoints.wait(for: token.positions, timeout: .seconds(60)))
        }
    }

    /// Waits until the fault is known exactly, in the process and to those who ask from outside.
    private func expectStopped(_ server: TestServer, at position: Int64, _ reason: String) async throws {
        func noted() async throws -> [PartitionFaults.Noted] {
            try await TestDatabase.current.pool.withConnection { try await PartitionFaults.read(on: $0) }
        }
        while try await noted().first?.position != position || server.checkpoints.faults.first?.position != position {
            await Task.pause()
        }
        let fault = try #require(server.checkpoints.faults.first)
        #expect(server.checkpoints.faults.count == 1)
        #expect(fault.partition == 0 && !fault.isNewer)
        #expect(fault.description.contains(reason), "\(fault)")
        let outside = try #require(try await noted().first)
        #expect(outside.partition == 0 && outside.reason.contains(reason), "\(outside)")
    }

    private func position(of text: String, by person: UUID, in room: UUID) async throws -> Int64 {
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT position FROM parley.events
            WHERE stream_id = \(room) AND actor = \(person) AND type = 'messageSent'
            ORDER BY position LIMIT 1
            """
        )
        return try #require(try rows.first?.decode("position", as: Int64.self), "\(text)")
    }

    /// Changes the log, which nobody can but a superuser who means to.
    private func behindTheBack(_ statement: SQL) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.execute("SET session_replication_role = replica")
            try await connection.execute(statement)
            try await connection.execute("RESET session_replication_role")
        }
    }
}
