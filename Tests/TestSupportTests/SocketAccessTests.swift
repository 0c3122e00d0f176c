import Foundation
import Logging
import Postgres
import TestSupport
import Testing

/// Whom the private PostgreSQL lets in.
@Suite(.timeLimit(.minutes(10)))
struct `Access to the private PostgreSQL` {
    private static let isRoot = geteuid() == 0

    @Test(.enabled(if: isRoot, "only root has an account of PostgreSQL's beside its own"))
    func `is this process's account's alone, not that of whoever shares PostgreSQL's`() async throws {
        try await withDirectory { directory in
            let postgres = try await EmbeddedPostgres.start(options(directory), logger: quiet)
            let connection = try await connect(postgres)
            await connection.close()
            let socket = try #require(EmbeddedPostgres.socketDirectory(dataDirectory: directory))
            let installation = try await PostgresInstallation.find(setting: nil, requiredVersion: nil)
            let arguments = ["-X", "-h", socket, "-U", "postgres", "-c", "SELECT 1", "parley"]
            let others = try await ChildProcess.run(
                try ServerAccount.current().command(installation.program("psql"), arguments, onParentDeath: "KILL"),
                environment: ServerAccount.environment
            )
            #expect(!others.status.isSuccess)
            #expect(others.output.contains("Peer authentication failed"))
            await postgres.stop()
        }
    }

    @Test func `of a directory that trusts everybody is closed with the next start`() async throws {
        try await withDirectory { directory in
            var trusting = options(directory)
            trusting.profile = .throwaway
            let old = try await EmbeddedPostgres.start(trusting, logger: quiet)
            let first = try await connect(old)
            try await first.execute("CREATE TABLE kept (number int8)")
            #expect(try await method(first) == ["trust"])
            await first.close()
            await old.stop()

            let new = try await EmbeddedPostgres.start(options(directory), logger: quiet)
            let second = try await connect(new)
            #expect(try await second.query("SELECT number FROM kept").isEmpty)
            #expect(try await method(second) == ["peer"])
            await second.close()
            await new.stop()
        }
    }

    private func method(_ connection: PostgresConnection) async throws -> Set<String> {
        let rows = try await connection.query("SELECT auth_method FROM pg_hba_file_rules WHERE type = 'local'")
        return Set(try rows.map { try $0.decode("auth_method", as: String.self) })
    }

    private func connect(_ postgres: EmbeddedPostgres) async throws -> PostgresConnection {
        try await PostgresConnection.connect(PostgresConfiguration(url: postgres.url()), logger: quiet)
    }

    private var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private func options(_ directory: String) -> EmbeddedPostgres.Options {
        EmbeddedPostgres.Options(dataDirectory: directory, profile: .durable, maxConnections: 20)
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = "/tmp/parley-access-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }
}
