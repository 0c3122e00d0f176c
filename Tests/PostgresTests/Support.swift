import Logging
import Postgres
import TestSupport

/// What a test has around its database: connections of its own, and ways to wait for what the server does.
extension TestDatabase {
    static let quiet = SecretWatch.logger

    var configuration: PostgresConfiguration { PostgresConfiguration(url: url) }

    func connect() async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration, logger: Self.quiet)
    }

    func makePool(
        maxConnections: Int = 4,
        maxWaiting: Int = 1024,
        checkoutTimeout: Duration = .seconds(30)
    ) -> PostgresPool {
        PostgresPool(
            configuration,
            maxConnections: maxConnections,
            maxWaiting: maxWaiting,
            checkoutTimeout: checkoutTimeout,
            logger: Self.quiet
        )
    }

    /// Waits until a query gives true; the suites' time limit ends what never comes.
    func wait(until condition: SQL) async throws {
        while try await administrator.query(condition).only(Bool.self) == false {
            await Task.pause()
        }
    }

    /// Waits until the server is executing a statement of that connection.
    func waitUntilBusy(_ connection: PostgresConnection, with text: String) async throws {
        try await wait(
            until: """
                SELECT EXISTS (
                    SELECT FROM pg_stat_activity
                    WHERE pid = \(connection.backendPID) AND state = 'active' AND query LIKE \(text + "%")
                )
                """
        )
    }

    /// Waits until a connection waits for a lock.
    func waitUntilBlocked(_ connection: PostgresConnection) async throws {
        try await wait(
            until: """
                SELECT EXISTS (
                    SELECT FROM pg_stat_activity WHERE pid = \(connection.backendPID) AND wait_event_type = 'Lock'
                )
                """
        )
    }
}

extension Rows {
    /// The first column of the first row.
    func only<T: PostgresDecodable>(_ type: T.Type = T.self) throws -> T {
        guard let row = first else { throw NoRow() }
        return try row.decode(0)
    }

    struct NoRow: Error {}
}
