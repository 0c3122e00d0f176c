import Foundation
import ParleyWire
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import API

@Suite(.database, .timeLimit(.minutes(10))) struct CommitTests {
    private static let lock: Int64 = 4_711

    @Test func `a message is answered, delivered and shown once it is committed, and no sooner`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let stream = try await server.readyStream(of: people[1])
            let path = "/v1/conversations/\(WireID(group))/messages"
            let answered = AnsweredFlag()
            try await Self.withCommitsHeld { release in
                // Beside the server's client, whose one connection is for what follows.
                async let answer = RawConnection.with(port: server.port) { connection in
                    let body = #"{"text":"Held"}"#
                    try await connection.say(
                        "PUT \(path)/\(WireID()) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n"
                            + "Connection: close\r\nAuthorization: Bearer \(people[0].token)\r\n\r\n\(body)"
                    )
                    let answer = await connection.readAll()
                    answered.isSet.store(true, ordering: .relaxed)
                    return answer
                }
                try await Self.waitUntilCommitIsHeld()
                // Whatever would be sent too early has had a request and its answer to overtake.
                let history = try await server.get(HistoryPage.self, path, as: people[1])
                #expect(history.items.allSatisfy { $0.kind == .system })
                let isEarly = answered.isSet.load(ordering: .relaxed)
                #expect(!isEarly)
                #expect(!stream.parsed.events.contains { $0.name == "message.created" })
                try await release()
                #expect(try await answer.hasPrefix("HTTP/1.1 201 "))
            }
            guard case .messageCreated(let created) = try await stream.next(.messageCreated) else { return }
            #expect(created.message.text == "Held")
            stream.cut()
        }
    }

    /// Makes every append wait at the very end of its transaction, until released.
    private static func withCommitsHeld(_ body: (() async throws -> Void) async throws -> Void) async throws {
        let administrator = TestDatabase.current.administrator
        try await administrator.withConnection { connection in
            try await connection.script(
                """
                CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_advisory_xact_lock(\(lock)); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON parley.events
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.hold();
                SELECT pg_advisory_lock(\(lock))
                """
            )
            try await body { try await connection.script("SELECT pg_advisory_unlock(\(lock))") }
        }
    }

    private static func waitUntilCommitIsHeld() async throws {
        while true {
            let waiting = try await TestDatabase.current.administrator.query(
                """
                SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND l.objid = \(lock) AND NOT l.granted AND d.datname = current_database()
                """
            )
            if !waiting.isEmpty { return }
            await Task.pause()
        }
    }
}

private final class AnsweredFlag: Sendable {
    let isSet = Atomic(false)
}
