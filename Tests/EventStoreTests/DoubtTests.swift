import EventSourcing
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@testable import EventStore

/// Commands that may have taken effect are never answered as if nothing had happened.
@Suite(.database, .timeLimit(.minutes(10))) struct DoubtTests {
    private let ada = UUID()
    private let grace = UUID()
    private let alan = UUID()
    private let room = UUID()

    private func begin(_ store: TestStore) async throws {
        try await store.register(ada, grace, alan)
        _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
        _ = try await store.send("first", to: room, by: ada)
    }

    @Test func `a doubt outlasts the epoch in which it arose`() async throws {
        try await TestStore.with(lanes: 1, partitions: 1) { [self] store in
            try await begin(store)
            try await TestDatabase.current.administrator.withConnection { connection in
                try await connection.script("BEGIN; LOCK TABLE parley.events IN SHARE MODE")
                let sending = Task { try await store.send("in doubt", to: room, by: ada) }
                let lane = try await waitUntilSomebodyIsBlocked()
                try await TestDatabase.current.administrator.execute(
                    "UPDATE parley.log SET epoch_id = gen_random_uuid()"
                )
                // The second try, in the new epoch, finds no place in line.
                store.store.close()
                try await TestDatabase.current.administrator.execute("SELECT pg_terminate_backend(\(lane))")
                await #expect(throws: CommandError.unavailable) { try await sending.value }
                try await connection.script("ROLLBACK")
            }
            #expect(store.store.epoch.generation == 1)
        }
    }

    @Test func `who is late after marks were appended on a state that was behind is told so`() async throws {
        try await TestStore.with(lanes: 1) { [self] one in
            try await begin(one)
            // One round is all that there is time for.
            try await TestStore.with(lanes: 1, commandDeadline: .zero) { [self] other in
                _ = try await other.send("second", to: room, by: ada)
                _ = try await one.send("third", to: room, by: ada)
                await #expect(throws: CommandError.unavailable) { try await other.advance(grace, to: 1, in: room) }
            }
            let receipts = try await one.everything().filter { $0.stream.category == .receipts }
            #expect(receipts.count == 1)
        }
    }

    @Test func `who is late with a command that the log has already is told so`() async throws {
        let id = UUID()
        try await TestStore.with(lanes: 1) { [self] store in
            try await begin(store)
            _ = try await store.send("once", to: room, by: ada, id: id)
        }
        try await TestStore.with(lanes: 1, commandDeadline: .zero) { [self] store in
            await #expect(throws: CommandError.unavailable) { try await store.send("once", to: room, by: ada, id: id) }
        }
    }

    @Test func `who is late and only met another process has done nothing`() async throws {
        try await TestStore.with(lanes: 1) { [self] one in
            try await begin(one)
            try await TestStore.with(lanes: 1, commandDeadline: .zero) { [self] other in
                _ = try await other.send("second", to: room, by: ada)
                _ = try await one.send("third", to: room, by: ada)
                await #expect(throws: CommandError.overloaded) { try await other.send("late", to: room, by: ada) }
            }
        }
    }

    @Test func `a command that is tried alone, without an answer, may have happened`() async throws {
        try await TestStore.with(lanes: 1) { [self] store in try await begin(store) }
        // The first append fails by its data, the second one by something else.
        try await TestDatabase.current.administrator.withConnection { connection in
            try await connection.script(
                """
                CREATE SEQUENCE test_tries;
                CREATE FUNCTION test_fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN
                    RAISE EXCEPTION USING ERRCODE = CASE nextval('public.test_tries') WHEN 1 THEN '23514' ELSE '57014' END;
                END $$;
                CREATE TRIGGER test_fail BEFORE INSERT ON parley.events FOR EACH ROW EXECUTE FUNCTION test_fail();
                """
            )
        }
        try await TestStore.with(lanes: 1, commandDeadline: .zero) { [self] store in
            await #expect(throws: CommandError.unavailable) { try await store.send("alone", to: room, by: ada) }
        }
    }

    /// Waits for somebody to wait for a lock, and says who.
    private func waitUntilSomebodyIsBlocked() async throws -> Int32 {
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if let row = rows.first { return try row.decode("pid") }
            await Task.pause()
        }
    }
}
