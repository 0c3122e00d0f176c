import EventStore
import Foundation
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@Suite(.database) struct ProjectorTests {
    let people = (0..<4).map { _ in UUID() }
    let rooms = (0..<4).map { _ in UUID() }

    /// Sends, reads, joins and leaves, in all rooms at once.
    private func talk(_ server: TestServer, messages: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for room in rooms {
                group.addTask { [people] in
                    for index in 0..<messages {
                        try await server.send("Message \(index)", to: room, by: people[index % 3])
                        let read = ReceiptAdvance(person: people[1], deliveredSeq: nil, readSeq: Int64(index))
                        try await server.handle(.advanceReceipts([read]), on: room, by: people[1])
                        if index % 5 == 0 {
                            try await server.handle(
                                .join(Join(person: people[3], maxMembers: 9)),
                                on: room,
                                by: people[3]
                            )
                        }
                        if index % 5 == 3 {
                            try await server.handle(.leave(person: people[3]), on: room, by: people[3])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func begin(_ server: TestServer) async throws {
        try await server.register(people)
        for room in rooms { try await server.startGroup(room, Array(people.prefix(3))) }
    }

    @Test func `a query that waits for a command's token sees what the command did`() async throws {
        try await TestServer.with { [people, rooms] server in
            try await begin(server)
            for index in 0..<20 {
                let token = try await server.send("Message \(index)", to: rooms[0], by: people[0])
                #expect(try await server.checkpoints.wait(for: token.positions, timeout: .seconds(60)))
                let seen = try await server.queries.conversation(rooms[0], for: people[1])
                #expect(seen?.lastMessage?.text == "Message \(index)")
                #expect(seen?.unreadCount == index + 1)
            }
        }
    }

    @Test func `several projectors on one database write everything once`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let others = (0..<2).map { _ in Checkpoints(partitions: 4) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for other in others { group.addTask { await server.projector(other).run() } }
                try await talk(server, messages: 40)
                try await server.waitForProjector()
                let heads = try await server.store.log.heads()
                let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
                // Who was overtaken knows how far the other came.
                for other in others { #expect(try await other.wait(for: positions, timeout: .seconds(60))) }
                group.cancelAll()
            }
            let report = try await server.verification().run()
            #expect(report.findings == [])
            #expect(report.positions == (try await server.store.log.heads()))
        }
    }

    @Test func `a projector whose connections are cut goes on where the table says`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            for _ in 0..<3 {
                async let talk: Void = talk(server, messages: 10)
                // In the middle of the talk: each of the two workers has one.
                var ended = 0
                while ended < 2 { ended += try await endProjectors() }
                try await talk
            }
            try await server.waitForProjector()
            #expect(try await server.verification().run().findings == [])
        }
    }

    private func endProjectors() async throws -> Int {
        try await end(where: "(query LIKE '%read_live%' OR query LIKE '%skipped_events%')")
    }

    /// - Returns: how many sessions there were to end.
    private func end(where condition: SQL) async throws -> Int {
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT pg_terminate_backend(pid) AS is_ended FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(condition)
            """
        )
        return try rows.filter { try $0.decode("is_ended") }.count
    }

    @Test func `checkpoints are followed where another process projects`() async throws {
        try await TestServer.with { [people, rooms] server in
            try await begin(server)
            let elsewhere = Checkpoints(partitions: 4)
            var database = PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
            database.applicationName = "follower"
            let follower = CheckpointFollower(
                elsewhere,
                leases: nil,
                epoch: server.store.epoch,
                database: database,
                logger: SecretWatch.logger
            )
            let following = Task { await follower.run() }
            let token = try await server.send("Hello", to: rooms[0], by: people[0])
            #expect(try await elsewhere.wait(for: token.positions, timeout: .seconds(60)))
            // Over a new connection as well.
            let ended = try await end(where: "application_name = 'follower'")
            #expect(ended == 1)
            let later = try await server.send("And again", to: rooms[0], by: people[0])
            follower.hint(later.positions)
            #expect(try await elsewhere.wait(for: later.positions, timeout: .seconds(60)))
            following.cancel()
            await following.value
        }
    }
}
