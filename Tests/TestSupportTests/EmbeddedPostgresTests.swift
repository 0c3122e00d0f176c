import Foundation
import Logging
import Postgres
import TestSupport
import Testing

/// The private PostgreSQL, each in a directory of its own.
@Suite(.timeLimit(.minutes(10)))
struct `Embedded PostgreSQL` {
    @Test func `keeps its data from one start to the next`() async throws {
        try await withDirectory { directory in
            try await running(in: directory) { try await $0.execute("CREATE TABLE kept (number int8)") }
            try await running(in: directory) { try await $0.execute("INSERT INTO kept VALUES (1)") }
        }
    }

    @Test func `refuses a directory that another server holds, and says which`() async throws {
        try await withDirectory { directory in
            let first = try await EmbeddedPostgres.start(options(directory), logger: quiet)
            let error = await #expect(throws: EmbeddedPostgresError.self) {
                try await EmbeddedPostgres.start(options(directory), logger: quiet)
            }
            #expect("\(error as Any)".contains("(process \(getpid()))"))
            await first.stop()
        }
    }

    @Test func `is started again when it dies, and answers on the same url`() async throws {
        try await withDirectory { directory in
            let (restarts, restarted) = AsyncStream.makeStream(of: Void.self)
            let logger = SecretWatch.logger { line, _ in
                if line.contains("PostgreSQL runs again") { restarted.yield() }
            }
            let postgres = try await EmbeddedPostgres.start(options(directory), logger: logger)
            async let supervision: Void = postgres.run()
            let pool = PostgresPool(PostgresConfiguration(url: postgres.url()), logger: quiet)
            try await pool.execute("CREATE TABLE kept (number int8)")
            kill(postgres.postmasterID, SIGKILL)
            _ = await restarts.first { _ in true }
            // The first may still meet the connection that died with PostgreSQL.
            var rows = try? await pool.query("SELECT number FROM kept")
            if rows == nil { rows = try await pool.query("SELECT number FROM kept") }
            #expect(rows?.isEmpty == true)
            await pool.close()
            await postgres.stop()
            await supervision
        }
    }

    @Test func `is found by others beside the one who started it`() async throws {
        try await withDirectory { directory in
            #expect(try await EmbeddedPostgres.runningURL(dataDirectory: directory) == nil)
            let postgres = try await EmbeddedPostgres.start(options(directory), logger: quiet)
            #expect(try await EmbeddedPostgres.runningURL(dataDirectory: directory) == postgres.url())
            await postgres.stop()
            #expect(try await EmbeddedPostgres.runningURL(dataDirectory: directory) == nil)
        }
    }

    @Test func `takes a directory whose path is too long for a socket`() async throws {
        try await withDirectory { directory in
            let long = directory + "/" + String(repeating: "long-", count: 30)
            try await running(in: long) { try await $0.execute("SELECT 1") }
        }
    }

    @Test func `keeps its settings when the directory is moved`() async throws {
        try await withDirectory { directory in
            let first = directory + "/it's here"
            try await running(in: first) { try await $0.execute("CREATE TABLE kept (number int8)") }
            try FileManager.default.moveItem(atPath: first, toPath: directory + "/there")
            try await running(in: directory + "/there") { connection in
                #expect(try await connection.query("SELECT number FROM kept").isEmpty)
                let rows = try await connection.query("SELECT current_setting('max_connections') AS value")
                #expect(try rows[0].decode("value", as: String.self) == "20")
            }
        }
    }

    @Test func `compresses pages in its log by LZ4 where it was built with it`() async throws {
        try await withDirectory { directory in
            var durable = options(directory)
            durable.profile = .durable
            let postgres = try await EmbeddedPostgres.start(durable, logger: quiet)
            let pool = PostgresPool(PostgresConfiguration(url: postgres.url()), logger: quiet)
            let rows = try await pool.query(
                """
                SELECT s.setting, 'lz4' = ANY (s.enumvals) AS has_lz4 FROM pg_settings s
                WHERE s.name = 'wal_compression'
                """
            )
            let hasLZ4: Bool = try rows[0].decode("has_lz4")
            #expect(try rows[0].decode("setting", as: String.self) == (hasLZ4 ? "lz4" : "pglz"))
            await pool.close()
            await postgres.stop()
        }
    }

    @Test func `does a half-finished first start again`() async throws {
        try await withDirectory { directory in
            let leftover = directory + "/postgres.unfinished-0"
            try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)
            try Data("15".utf8).write(to: URL(fileURLWithPath: leftover + "/PG_VERSION"))
            try await running(in: directory) { try await $0.execute("SELECT 1") }
            #expect(!FileManager.default.fileExists(atPath: leftover))
        }
    }

    @Test func `takes an empty directory that only its owner may enter`() async throws {
        try await withDirectory { directory in
            mkdir(directory, 0o700)
            try await running(in: directory) { try await $0.execute("SELECT 1") }
        }
    }

    @Test func `gives way to a process that was given its old number`() async throws {
        try await withDirectory { directory in
            try await running(in: directory) { try await $0.execute("SELECT 1") }
            // As after a restart of a container: the number now belongs to an unrelated process.
            let file = "\(directory)/postgres/postmaster.pid"
            try "\(getpid())\n\(directory)/postgres\n0\n5432\n/nowhere\n\n".write(
                toFile: file,
                atomically: false,
                encoding: .utf8
            )
            try await running(in: directory) { try await $0.execute("SELECT 1") }
        }
    }

    private var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private func options(_ directory: String) -> EmbeddedPostgres.Options {
        EmbeddedPostgres.Options(dataDirectory: directory, profile: .throwaway, maxConnections: 20)
    }

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = "/tmp/parley-embedded-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private func running(in directory: String, _ body: (PostgresConnection) async throws -> Void) async throws {
        let postgres = try await EmbeddedPostgres.start(options(directory), logger: quiet)
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: postgres.url()),
            logger: quiet
        )
        try await body(connection)
        await connection.close()
        await postgres.stop()
    }
}
