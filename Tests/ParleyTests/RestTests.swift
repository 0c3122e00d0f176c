import Foundation
import Postgres
import TestSupport
import Testing

/// Where nothing happens, nothing is to be done.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `A server at rest` {
    /// There are some 18: 6 to keep two sessions, the others to look for what nobody says. By the intervals of before it would
    /// be 42. On a machine that is busy the beginning takes longer, and its last transactions are counted, too: 29 were seen.
    private static let transactionsPerBeat: Int64 = 34
    private static let beats: Int64 = 5

    private var database: PostgresPool { TestDatabase.current.administrator }

    /// Comes with each heartbeat of a server, by which the test goes: on a slow machine it is as slow as all else.
    private func followBeats() async throws -> (connection: PostgresConnection, beats: AsyncStream<String>) {
        let (beats, continuation) = AsyncStream.makeStream(of: String.self)
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: TestDatabase.current.url),
            notifications: continuation,
            logger: SecretWatch.logger
        )
        try await connection.execute("LISTEN beats")
        try await database.execute(
            """
            CREATE FUNCTION public.beat() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_catalog.pg_notify('beats', ''); RETURN NULL; END $$
            """
        )
        try await database.execute(
            """
            CREATE TRIGGER beat AFTER UPDATE ON parley.processes
            FOR EACH STATEMENT EXECUTE FUNCTION public.beat()
            """
        )
        return (connection, beats)
    }

    private func transactions() async throws -> Int64 {
        let rows = try await database.query(
            """
            SELECT d.xact_commit + d.xact_rollback AS n FROM pg_stat_database d WHERE d.datname = current_database()
            """
        )
        return try #require(rows.first).decode("n")
    }

    @Test func `asks PostgreSQL next to nothing`() async throws {
        let server = try await ParleyProcess.serve(
            [],
            environment: [
                "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off", "PARLEY_POLL_INTERVAL": "50ms",
                "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            ]
        )
        let (connection, beats) = try await followBeats()
        var next = beats.makeAsyncIterator()
        // By then it has begun, the first polls have found nothing, and sessions have told what they did: after 10 s at most.
        for _ in 0..<5 { try #require(await next.next() != nil) }
        let most = Self.transactionsPerBeat * Self.beats
        var count = Int64.max
        // On a machine that is busy what it begins with may last longer, and hints come so late that it asks more often: then it
        // is counted again.
        for _ in 0..<8 where count > most {
            let before = try await transactions()
            for _ in 0..<Self.beats { try #require(await next.next() != nil) }
            count = try await transactions() - before
        }
        #expect(count <= most, "\(count) transactions in \(Self.beats) heartbeats")
        // Else nothing was counted.
        #expect(count >= Self.beats)
        await connection.close()
        #expect(await server.terminate().code == 0)
    }
}
