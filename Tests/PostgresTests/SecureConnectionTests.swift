import Foundation
import Postgres
import TestSupport
import Testing

/// TLS with a certificate that is checked, and SCRAM.
@Suite(
    .enabled(if: SecureServer.isPossible, "openssl is not installed"),
    .timeLimit(.minutes(10))
)
struct SecureConnectionTests {
    /// - Parameter patience: how long a cancel may go unanswered.
    private func connect(_ url: String, patience: Duration = .seconds(5)) async throws -> PostgresConnection {
        var configuration = PostgresConfiguration(url: url, connectTimeout: .seconds(60))
        configuration.patience = patience
        return try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
    }

    private func refusal(_ url: String) async -> String {
        let error = await #expect(throws: PostgresConnectionError.self) { try await connect(url) }
        return error.map { "\($0)" } ?? ""
    }

    @Test func `a session is encrypted, its server known, and its password never sent`() async throws {
        try await SecureServer.with { server in
            let connection = try await connect(server.url(host: "localhost", "channel_binding=require"))
            let rows = try await connection.query(
                "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            )
            #expect(try rows.first?.decode("ssl", as: Bool.self) == true)
            // More than one TLS record, and more than one read.
            let long = try await connection.query("SELECT repeat('x', 3000000)").only(String.self)
            #expect(long.utf8.count == 3_000_000)
            try await connection.execute("CREATE TEMPORARY TABLE t (x text)")
            var sent = CopyRows(into: "t (x)", columns: 1)
            sent.beginRow()
            sent.append(long)
            #expect(try await connection.copy(sent) == 1)
            #expect(try await connection.query("SELECT length(x) FROM t").only(Int.self) == 3_000_000)
            await connection.close()

            #expect(await refusal(server.url(host: "127.0.0.1")).contains("does not match host name"))
            let other = "sslrootcert=\(server.directory)/other-ca.pem"
            #expect(await refusal(server.url(host: "localhost", other)).contains("certificate verify failed"))
            #expect(await refusal(server.url(host: "localhost", "sslmode=disable")).contains("no encryption"))
            let wrong = await refusal(server.url(host: "localhost", password: "pen"))
            #expect(wrong.contains("password authentication failed"))
            #expect(!wrong.contains("pen\""))
        }
    }

    @Test func `a query is cancelled over TLS, and the session goes on`() async throws {
        try await SecureServer.with { server in
            // Nobody gives the session up before the test's time is over: what ends the statement is the cancel.
            let connection = try await connect(server.url(host: "localhost"), patience: .seconds(7_200))
            let watcher = try await connect(server.url(host: "localhost"))
            let task = Task { try await connection.execute("SELECT pg_sleep(7200)") }
            let busy: SQL =
                "SELECT 1 FROM pg_stat_activity WHERE pid = \(connection.backendPID) AND wait_event = 'PgSleep'"
            while try await watcher.query(busy).isEmpty { await Task.pause() }
            task.cancel()
            // In the server the statement is gone, and its session is not.
            let idle: SQL = "SELECT 1 FROM pg_stat_activity WHERE pid = \(connection.backendPID) AND state = 'idle'"
            while try await watcher.query(idle).isEmpty { await Task.pause() }
            await #expect(throws: CancellationError.self) { try await task.value }
            let pid = try await connection.query("SELECT pg_backend_pid()").only(Int.self)
            #expect(pid == Int(connection.backendPID))
            await connection.close()
            await watcher.close()
        }
    }
}
