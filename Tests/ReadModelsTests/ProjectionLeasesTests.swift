import Logging
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// Who projects what, where several processes take part.
@Suite(.database, .timeLimit(.minutes(10))) struct ProjectionLeasesTests {
    private static let partitions = 8

    /// One that takes part, as a process would.
    private struct Member {
        let leases: ProjectionLeases
        let task: Task<Void, Never>

        func end() async {
            task.cancel()
            await task.value
        }
    }

    private func join(notifying others: [Member] = []) -> Member {
        let leases = ProjectionLeases(
            partitions: Self.partitions,
            database: PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: SecretWatch.logger
        )
        // As hints do between processes.
        for other in others {
            leases.onNews { [weak other = other.leases] in other?.hint() }
            other.leases.onNews { [weak leases] in leases?.hint() }
        }
        return Member(leases: leases, task: Task { await leases.run() })
    }

    /// 5 s, with the slack of a ``TestDeadline``: a turn is a second.
    private func waitUntil(_ isSo: () -> Bool) async throws {
        let deadline = try await TestDeadline.within(5)
        while !isSo() { try await deadline.check("the leases are as they should be") }
    }

    private var all: Set<Int> { Set(0..<Self.partitions) }

    @Test func `each partition is one member's, spread evenly, whoever comes and goes`() async throws {
        let one = join()
        try await waitUntil { one.leases.held == all }
        let two = join(notifying: [one])
        try await waitUntil { one.leases.held.count == 4 && two.leases.held == all.subtracting(one.leases.held) }
        let three = join(notifying: [one, two])
        let members = [one, two, three]
        try await waitUntil {
            members.map(\.leases.held.count).sorted() == [2, 3, 3]
                && members.reduce(into: Set()) { $0.formUnion($1.leases.held) } == all
        }
        await two.end()
        #expect(two.leases.held.isEmpty)
        try await waitUntil { one.leases.held.count == 4 && three.leases.held == all.subtracting(one.leases.held) }
        await one.end()
        try await waitUntil { three.leases.held == all }
        await three.end()
    }

    @Test func `whoever ends tells the others when nothing is held any more`() async throws {
        let one = join()
        try await waitUntil { one.leases.held == all }
        let (news, signal) = AsyncStream.makeStream(of: Void.self)
        one.leases.onNews { signal.yield() }
        one.task.cancel()
        for await _ in news { break }
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT count(*) AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE l.locktype = 'advisory' AND d.datname = current_database()
            """
        )
        #expect(try rows.first?.decode("n", as: Int.self) == 0)
        await one.end()
    }

    @Test func `a session that is lost loses its leases, and takes part again`() async throws {
        let one = join()
        try await waitUntil { one.leases.held == all }
        let changes = one.leases.changes()
        try await TestDatabase.current.administrator.execute(
            """
            SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.application_name = 'parley-leases'
            """
        )
        for await _ in changes { break }
        try await waitUntil { one.leases.held == all }
        await one.end()
    }

    @Test func `a session that says nothing for long is ended by the database`() async throws {
        let one = join()
        try await waitUntil { one.leases.held == all }
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT count(*) AS n FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.application_name = 'parley-leases'
            """
        )
        #expect(try rows.first?.decode("n", as: Int.self) == 1)
        await one.end()
        // The same settings, and silence.
        var database = PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server")
        database.settings["idle_session_timeout"] = ProjectionLeases.patience
        let silent = try await PostgresConnection.connect(database, logger: SecretWatch.logger)
        try await silent.execute("SELECT pg_advisory_lock(1, 1)")
        let watcher = try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: SecretWatch.logger
        )
        // Comes through when the silent session has ended.
        let deadline = try await TestDeadline.within(5)
        try await watcher.execute("SELECT pg_advisory_lock(1, 1)")
        try await deadline.check("the silent session has ended")
        await watcher.close()
        await silent.close()
    }

    @Test func `what does not go on with one is another's, beyond the even share, until it does`() async throws {
        let one = join()
        try await waitUntil { one.leases.held == all }
        let two = join(notifying: [one])
        try await waitUntil { one.leases.held.count == 4 && two.leases.held.count == 4 }
        let left = try #require(one.leases.held.min())
        one.leases.leave(left, true)
        try await waitUntil { two.leases.holds(left) && one.leases.held.count == 4 }
        // Nobody has what does not go on anywhere.
        two.leases.leave(left, true)
        try await waitUntil { !two.leases.holds(left) && !one.leases.holds(left) }
        one.leases.leave(left, false)
        try await waitUntil { one.leases.holds(left) }
        await one.end()
        await two.end()
    }
}
