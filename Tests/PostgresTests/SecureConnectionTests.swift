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
    private func connect(_ url: String) async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            PostgresConfiguration(url: url, connectTimeout: .seconds(60)),
            logger: TestDatabase.quiet
        )
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
            let connection = try await connect(server.url(host: "localhost"))
            let watcher = try await connect(server.url(host: "localhost"))
            let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
            let busy: SQL =
                "SELECT 1 FROM pg_stat_activity WHERE pid = \(connection.backendPID) AND wait_event = 'PgSleep'"
            while try await watcher.query(busy).isEmpty { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
            await connection.close()
            await watcher.close()
        }
    }
}
