import Foundation
import Postgres
import TestSupport

/// A PostgreSQL of one test's own, which comes back whenever it dies.
struct RestartableServer {
    let postgres: EmbeddedPostgres
    private let directory: String
    private let supervision: Task<Void, Never>

    /// Runs `body` with such a server, and leaves nothing of it behind.
    static func with(_ body: (RestartableServer) async throws -> Void) async throws {
        let server = try await start()
        do {
            try await body(server)
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func start() async throws -> RestartableServer {
        let directory = "/dev/shm/parley-crash-\(UUID().uuidString.prefix(8).lowercased())"
        let options = EmbeddedPostgres.Options(dataDirectory: directory, profile: .durable)
        let postgres = try await EmbeddedPostgres.start(options, logger: TestDatabase.quiet)
        return RestartableServer(postgres: postgres, directory: directory, supervision: Task { await postgres.run() })
    }

    private func stop() async {
        await postgres.stop()
        await supervision.value
        try? FileManager.default.removeItem(atPath: directory)
    }
}
