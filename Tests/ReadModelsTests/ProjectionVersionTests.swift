import EventStore
import Foundation
import Migrations
import ParleyWire
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import ReadModels

/// Which version of each projection has made the rows, and who is told where it is not this program's.
struct ProjectionVersionTests {
    let people = (0..<3).map { _ in UUID() }
    let room = UUID()

    /// A log and read models as an earlier start of this program has left them.
    private func begin(_ server: TestServer) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await ProjectionVersions.note(in: .live, on: connection)
        }
        try await server.register(people)
        try await server.startGroup(room, people)
        try await server.send("Hello", to: room, by: people[0])
        try await server.waitForProjector()
    }

    private func change(_ statement: SQL) async throws {
        try await TestDatabase.current.administrator.execute(statement)
    }

    private func mismatches() async throws -> [VersionMismatch] {
        try await TestDatabase.current.pool.withConnection { try await ProjectionVersions.mismatches(on: $0) }
    }

    @Test(.database) func `what this program makes itself is of its versions`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            #expect(try await mismatches() == [])
        }
    }

    @Test(.database) func `a rebuild ends that rows are another version's, and nothing else changes`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            try await change("UPDATE read_live.projections SET version = 7 WHERE name = 'unread-counts'")
            try await change("DELETE FROM read_live.projections WHERE name = 'receipts'")
            try await change("INSERT INTO read_live.projections (name, version) VALUES ('polls', 3)")
            #expect(
                try await mismatches().map(\.description) == [
                    "rebuild due: unread-counts is at version 7, this program makes 1: run parley rebuild --all",
                    "rebuild due: receipts is new, this program makes 1: run parley rebuild --all",
                    "polls, at version 3, belongs to another program",
                ]
            )
            // Projecting goes on.
            try await server.send("Still there", to: room, by: people[1])
            try await server.waitForProjector()
            let seen = try await server.queries.conversation(room, for: people[0])
            #expect(seen?.lastMessage?.text == "Still there")
            let comparison = try #require(try await server.rebuild().run(verifying: true).comparison)
            #expect(comparison.allSatisfy { $0.isEqual })
            #expect(try await mismatches() == [])
        }
    }

    @Test(.database) func `whoever watches tells of each mismatch once, and when all are over`() async throws {
        try await TestServer.with { server in
            try await begin(server)
            let lines = Lines()
            let logger = SecretWatch.logger { line, _ in lines.add(line) }
            let watch = VersionWatch(pool: TestDatabase.current.pool, logger: logger)
            try await watch.check()
            #expect(watch.mismatches == [] && lines.all == [])
            try await change("UPDATE read_live.projections SET version = 7 WHERE name = 'messages'")
            try await watch.check()
            try await watch.check()
            #expect(watch.mismatches == [.differs("messages", stored: 7, current: 1)])
            #expect(lines.all.count == 1)
            #expect(lines.all.first?.contains("run parley rebuild --all") == true)
            _ = try await server.rebuild().run()
            try await watch.check()
            #expect(watch.mismatches == [])
            #expect(lines.all.count == 2)
        }
    }

    @Test(.emptyDatabase) func `rows from before versions were stored are of version 1`() async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await Migrator(files: Migrations.all.filter { $0.name < "0361" }).run(on: connection)
            try await connection.execute("INSERT INTO read_live.checkpoints (partition, position) VALUES (0, 9)")
            try await Migrator(files: Migrations.all).run(on: connection)
            let rows = try await connection.query("SELECT p.name, p.version FROM read_live.projections p")
            let names = try rows.map { try $0.decode("name", as: String.self) }
            // What histories say by themselves, older programs have made nothing of: a rebuild is due.
            #expect(Set(names) == Set(Projections.all.map { $0.name }).subtracting([SystemMessagesProjection.name]))
            #expect(try rows.allSatisfy { try $0.decode("version") == 1 })
            // Whatever program comes next: it has not made them.
            try await ProjectionVersions.note(in: .live, on: connection)
            let after = try await connection.query("SELECT p.name FROM read_live.projections p WHERE p.version = 1")
            #expect(after.count == rows.count)
        }
    }

    @Test(.database) func `read models that hold nothing are of the version that will fill them`() async throws {
        try await change("INSERT INTO read_live.projections (name, version) VALUES ('messages', 7)")
        try await TestDatabase.current.administrator.withConnection { connection in
            try await ProjectionVersions.note(in: .live, on: connection)
        }
        #expect(try await mismatches() == [])
    }
}

/// What was logged.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
