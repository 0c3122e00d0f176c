import Foundation
import Postgres
import Synchronization
import TestSupport

/// Signals that something a test waits for may have come: a row of its database was written, or a part of the test has noted
/// something.
enum Changes {
    private static let channel = "test_changes"
    private static let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

    /// A signal for each change from now on; changes that come together are one.
    static func signals() -> AsyncStream<Void> {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        continuation.onTermination = { _ in waiting.withLock { _ = $0.removeValue(forKey: id) } }
        waiting.withLock { $0[id] = continuation }
        return signals
    }

    static func note() {
        for continuation in waiting.withLock({ Array($0.values) }) { continuation.yield() }
    }

    /// Has the running test's database notify of whatever is written to its tables that reactors and their tests write.
    static func watch() async throws {
        try await TestDatabase.current.administrator.execute(
            """
            CREATE OR REPLACE FUNCTION public.tell_of_change() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN NOTIFY \(identifier: channel); RETURN NULL; END'
            """
        )
        for table in [
            "consumers", "devices", "push_notifications", "push_outcomes", "push_pauses", "webhooks", "webhook_places",
            "webhook_deliveries",
        ] {
            try await watch("parley", table)
        }
        try await watch("read_live", "messages")
    }

    static func watch(_ schema: String, _ table: String) async throws {
        let isWatched = try await !TestDatabase.current.administrator.query(
            """
            SELECT FROM pg_trigger WHERE tgname = 'tell_of_change'
                AND tgrelid = to_regclass(\(schema) || '.' || \(table))
            """
        ).isEmpty
        guard !isWatched else { return }
        try await TestDatabase.current.administrator.execute(
            """
            CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON \(identifier: schema).\(identifier: table)
                FOR EACH STATEMENT EXECUTE FUNCTION public.tell_of_change()
            """
        )
    }

    /// Passes on what the running test's database notifies of, until it is cancelled; a connection that is cut is made anew.
    static func listen() async throws {
        while !Task.isCancelled {
            let (notifications, continuation) = AsyncStream.makeStream(
                of: String.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: TestDatabase.current.url),
                notifications: continuation,
                logger: SecretWatch.logger
            )
            try await connection.execute("LISTEN \(identifier: channel)")
            // Of what came before it listened.
            note()
            for await _ in notifications { note() }
            await connection.close()
        }
    }
}
