import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushHousekeepingTests {
    private func count(_ rows: SQL, _ world: PushWorld) async throws -> Int {
        try await world.pool.query("SELECT count(*) FROM \(rows)").first?.decode(0) ?? 0
    }

    /// Cleans in pieces a table with nine rows, of which the last two are to stay.
    private func expectTwoLeft(in table: String, _ world: PushWorld) async throws {
        let queue = PushQueue(pool: world.pool, sessions: world.log.store.sessions, devices: world.devices)
        #expect(try await queue.clean(atMost: 3))
        #expect(try await count("parley.\(identifier: table)", world) == 6)
        #expect(try await queue.clean(atMost: 3))
        #expect(try await !queue.clean(atMost: 3))
        let left = try await world.pool.query("SELECT t.seq FROM parley.\(identifier: table) t ORDER BY t.seq")
        #expect(try left.map { try $0.decode(0, as: Int64.self) } == [8, 9])
    }

    @Test func `what became of notifications is kept for 7 days, and goes in pieces`() async throws {
        try await PushWorld.with { world in
            // Seven that are old, and two that are not yet.
            try await world.pool.execute(
                """
                INSERT INTO parley.push_outcomes (at, from_seq, seq, milliseconds, attempts, conversation_id, person_id,
                    device_id, platform, kind, outcome)
                SELECT now() - interval '7 days' + CASE WHEN x.n <= 7 THEN interval '-1 s' ELSE interval '1 hour' END,
                    1, x.n, 1, 1, \(world.room), \(world.grace), gen_random_uuid(), 'fcm', 'alert', 'accepted'
                FROM generate_series(1, 9) AS x (n)
                """
            )
            try await expectTwoLeft(in: "push_outcomes", world)
        }
    }

    @Test func `rows of the outbox go 7 days after the last message, in pieces, unless something waits`() async throws {
        try await PushWorld.with { world in
            let device = try await world.register(PushWorld.fcm(), of: world.grace)
            // Seven that are old, one that is old and waits, and one that is not old yet.
            try await world.pool.execute(
                """
                INSERT INTO parley.push_notifications (due_at, newest_at, from_seq, seq, pending, conversation_id,
                    person_id, device_id, message_id, sender_id, platform, origin)
                SELECT CASE WHEN x.n = 8 THEN now() END,
                    now() - interval '7 days' + CASE WHEN x.n <= 8 THEN interval '-1 s' ELSE interval '1 hour' END,
                    1, x.n, 0, gen_random_uuid(), \(world.grace), \(device), gen_random_uuid(), \(world.ada), 'fcm', 'fcm'
                FROM generate_series(1, 9) AS x (n)
                """
            )
            try await expectTwoLeft(in: "push_notifications", world)
        }
    }

    @Test func `devices go with their sessions and after 30 days without a word, in pieces`() async throws {
        try await PushWorld.with { world in
            var sessions: [UUID] = []
            for _ in 0..<5 {
                sessions.append(UUID())
                try await world.register(PushWorld.fcm(), of: world.grace, session: sessions[sessions.count - 1])
            }
            let silent = try await world.register(PushWorld.fcm(), of: world.alan)
            let young = try await world.register(PushWorld.fcm(), of: world.alan)
            let kept = try await world.register(PushWorld.fcm(), of: world.ada)
            try await world.pool.execute(
                "UPDATE parley.sessions SET refresh_expires_at = now() - interval '1 s' WHERE session_id = ANY (\(sessions))"
            )
            try await world.pool.execute(
                """
                UPDATE parley.devices SET renewed_at = now() - interval '30 days'
                    + CASE device_id WHEN \(silent) THEN interval '-1 s' ELSE interval '1 hour' END
                WHERE person_id = \(world.alan)
                """
            )
            #expect(try await world.devices.removeEnded(atMost: 4))
            #expect(try await count("parley.devices", world) == 4)
            #expect(try await !world.devices.removeEnded(atMost: 4))
            let left = try await world.pool.query("SELECT d.device_id FROM parley.devices d")
            #expect(Set(try left.map { try $0.decode(0, as: UUID.self) }) == [young, kept])
        }
    }
}
