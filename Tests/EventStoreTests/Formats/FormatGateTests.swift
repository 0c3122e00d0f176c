import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

/// Processes that read different formats, on one log.
@Suite(.database, .timeLimit(.minutes(10))) struct FormatGateTests {
    private func gate(_ format: Int, version: String = "1.0", epoch: LogEpoch? = nil) -> FormatGate {
        FormatGate(
            format: format,
            version: version,
            pool: TestDatabase.current.pool,
            epoch: epoch,
            logger: SecretWatch.logger
        )
    }

    private func createLog() async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            try await LogIdentity.create(partitions: 1, on: connection)
        }
    }

    private func logFormat() async throws -> Int {
        try await LogFormat.read(from: TestDatabase.current.pool)
    }

    @Test func `what was always written needs nobody's leave`() async throws {
        #expect(gate(1).isOpen(for: 1))
        #expect(!gate(2).isOpen(for: 2))
        #expect(try await gate(1).open(for: 1))
    }

    @Test func `a format is opened once every living process reads it, and stays open`() async throws {
        try await createLog()
        let (older, newer) = (gate(1), gate(2))
        try await older.beat()
        try await newer.beat()
        #expect(try await newer.open(for: 2) == false)
        #expect(!newer.isOpen(for: 2))
        #expect(try await logFormat() == 1)
        await older.leave()
        #expect(try await newer.open(for: 2))
        #expect(newer.isOpen(for: 2))
        #expect(try await logFormat() == 2)
        // Others hear of it with their next heartbeat.
        let third = gate(3)
        try await third.beat()
        #expect(third.isOpen(for: 2))
        #expect(!third.isOpen(for: 3))
    }

    @Test func `who hears of another process is not alone, and counts again with the next heartbeat`() async throws {
        try await createLog()
        let one = gate(1)
        try await one.beat()
        #expect(one.isAlone)
        one.noteOther()
        #expect(!one.isAlone)
        try await one.beat()
        #expect(one.isAlone)
        try await gate(1).beat()
        try await one.beat()
        #expect(!one.isAlone)
    }

    @Test func `a program that is older than the log is refused`() async throws {
        try await createLog()
        #expect(try await gate(3).open(for: 3))
        let older = gate(2)
        let refusal = NewerLog(format: 3, readable: 2)
        await #expect(throws: refusal) { try await older.beat() }
        await #expect(throws: refusal) { try await older.run() }
        #expect(try await LivingProcess.all(in: TestDatabase.current.pool).isEmpty)
        await #expect(throws: NewerLog(format: 3, readable: EventCatalog.messaging.format)) {
            try await LogFormat.check(.messaging, in: TestDatabase.current.pool)
        }
    }

    @Test func `a database from before there were formats is to be migrated first`() async throws {
        try await createLog()
        try await TestDatabase.current.administrator.execute("ALTER TABLE parley.log DROP COLUMN format")
        await #expect(throws: LogError.notMigrated) { try await logFormat() }
    }

    @Test func `a process whose heart stopped holds up nobody, and ends when it comes back`() async throws {
        try await createLog()
        let (paused, newer) = (gate(1), gate(2))
        try await paused.beat()
        try await newer.beat()
        try await TestDatabase.current.administrator.execute(
            "UPDATE parley.processes SET heartbeat_at = now() - interval '1 minute' WHERE process_id = \(paused.process)"
        )
        #expect(try await newer.open(for: 2))
        await #expect(throws: NewerLog(format: 2, readable: 1)) { try await paused.run() }
        let living = try await LivingProcess.all(in: TestDatabase.current.pool)
        #expect(living.map(\.id) == [newer.process])
        let rows = try await TestDatabase.current.pool.query("SELECT process_id FROM parley.processes")
        #expect(rows.count == 1)
    }

    @Test func `a process that was paused in vain goes on`() async throws {
        try await createLog()
        let (paused, other) = (gate(1), gate(1))
        try await paused.beat()
        try await TestDatabase.current.administrator.execute(
            "UPDATE parley.processes SET heartbeat_at = now() - interval '1 minute'"
        )
        try await other.beat()
        try await paused.beat()
        #expect(Set(try await LivingProcess.all(in: TestDatabase.current.pool).map(\.id)).count == 2)
    }

    @Test func `the living are listed with what they are`() async throws {
        try await createLog()
        let process = gate(4, version: "7.8.9")
        try await process.beat()
        let listed = try #require(try await LivingProcess.all(in: TestDatabase.current.pool).first)
        #expect((listed.id, listed.version, listed.format) == (process.process, "7.8.9", 4))
        #expect(listed.heartbeatAt >= listed.startedAt)
    }

    @Test func `who starts and who opens a format never miss each other`() async throws {
        try await createLog()
        for format in 1...60 {
            let (older, newer) = (gate(format), gate(format + 1))
            async let registration = registers(older)
            async let opening = newer.open(for: format + 1)
            let (isRegistered, isOpen) = (try await registration, try await opening)
            #expect(isRegistered != isOpen, "of an older process and a newer format there is one")
            await older.leave()
            #expect(try await newer.open(for: format + 1))
        }
    }

    private func registers(_ gate: FormatGate) async throws -> Bool {
        do {
            try await gate.beat()
            return true
        } catch is NewerLog {
            return false
        }
    }

    @Test func `who opens a format waits for one who is about to start`() async throws {
        try await createLog()
        let starting = try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url, role: "parley_server"),
            logger: SecretWatch.logger
        )
        try await starting.script("BEGIN")
        _ = try await starting.query("SELECT parley.keep_process(\(UUID()), \("1.0"), 1)")
        async let opening = gate(2).open(for: 2)
        try await waitUntilSomebodyIsBlocked()
        try await starting.script("COMMIT")
        #expect(try await opening == false)
        await starting.close()
    }

    private func waitUntilSomebodyIsBlocked() async throws {
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if !rows.isEmpty { return }
            await Task.pause()
        }
    }

    @Test func `the server's role can open formats in no other way`() async throws {
        try await createLog()
        let changes: [SQL] = [
            "UPDATE parley.log SET format = 2", "DELETE FROM parley.log", "DELETE FROM parley.processes",
            "UPDATE parley.processes SET format = 2", "SELECT parley.lock_format()",
            "INSERT INTO parley.processes VALUES (gen_random_uuid(), 'x', 1, now(), now())",
        ]
        for change in changes {
            await #expect(
                performing: { try await TestDatabase.current.pool.execute(change) },
                throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
            )
        }
    }

    @Test func `formats are opened at read committed alone`() async throws {
        try await createLog()
        await #expect(throws: PostgresError.self) {
            try await TestDatabase.current.pool.withTransaction(.repeatableRead) { connection in
                try await connection.query("SELECT parley.open_format(2)")
            }
        }
        #expect(try await logFormat() == 1)
    }

    @Test func `what is remembered of another database opens nothing`() async throws {
        try await createLog()
        let epoch = try await logEpoch()
        let gate = gate(2, epoch: epoch)
        #expect(try await gate.open(for: 2))
        // A standby was promoted that had not heard of it.
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.execute("UPDATE parley.log SET format = 1, epoch_id = gen_random_uuid()")
            try await epoch.observe(on: connection)
        }
        #expect(!gate.isOpen(for: 2))
        let older = self.gate(1)
        try await older.beat()
        #expect(try await gate.open(for: 2) == false)
    }

    @Test(arguments: [true, false])
    func `what is asked in one epoch and answered in the next opens nothing`(byHeartbeat: Bool) async throws {
        try await createLog()
        #expect(try await self.gate(2).open(for: 2))
        let epoch = try await logEpoch()
        let gate = gate(2, epoch: epoch)
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script("BEGIN; UPDATE parley.log SET epoch_id = gen_random_uuid()")
            async let answer: Void = byHeartbeat ? gate.beat() : expectOpens(gate)
            // For the answer.
            try await waitUntilSomebodyIsBlocked()
            try await epoch.observe(on: connection)
            try await connection.script("COMMIT")
            try await answer
        }
        #expect(!gate.isOpen(for: 2))
        try await gate.beat()
        #expect(gate.isOpen(for: 2))
    }

    private func expectOpens(_ gate: FormatGate) async throws {
        #expect(try await gate.open(for: 2))
    }

    private func logEpoch() async throws -> LogEpoch {
        LogEpoch(try await LogIdentity.read(from: TestDatabase.current.pool), logger: SecretWatch.logger)
    }
}
