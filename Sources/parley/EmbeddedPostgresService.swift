import Postgres
import ServiceLifecycle

/// Keeps the private PostgreSQL alive while the server runs, and ends it after everything that uses it.
struct EmbeddedPostgresService: Service {
    let postgres: EmbeddedPostgres

    func run() async throws {
        await withTaskGroup { group in
            group.addTask { await postgres.run() }
            // Ends by a cancellation too, when another service has failed.
            try? await gracefulShutdown()
            await postgres.stop()
        }
    }
}
