import EventStore
import Logging
import Postgres

/// A connection for projecting, and the epoch of the log that it belongs to: events of another must not be written.
struct ProjectorSession {
    let connection: PostgresConnection
    let generation: Int

    /// - Parameter timeout: how long a statement may take.
    static func open(
        _ database: PostgresConfiguration,
        timeout: Duration,
        epoch: LogEpoch,
        logger: Logger
    ) async throws -> ProjectorSession {
        var configuration = database
        configuration.settings["statement_timeout"] = "\(max(1, timeout / .milliseconds(1)))"
        let connection = try await PostgresConnection.connect(configuration, logger: logger)
        do {
            return ProjectorSession(
                connection: connection,
                generation: try await epoch.observe(on: connection).generation
            )
        } catch {
            await connection.close()
            throw error
        }
    }
}
