package import Logging
import Synchronization

/// A bounded set of connections, made when they are needed and lent to one caller at a time.
///
/// A connection that is broken, or comes back inside a transaction, is dropped. While the server is down, callers wait up
/// to `checkoutTimeout` for it to come back; attempts to connect are spaced by a back-off.
package final class PostgresPool: Sendable {
    private let configuration: PostgresConfiguration
    private let checkoutTimeout: Duration
    private let logger: Logger
    private let state: Mutex<PoolState>

    package init(
        _ configuration: PostgresConfiguration,
        maxConnections: Int = 8,
        maxWaiting: Int = 1024,
        checkoutTimeout: Duration = .seconds(5),
        logger: Logger
    ) {
        self.configuration = configuration
        self.checkoutTimeout = checkoutTimeout
        self.logger = logger
        state = Mutex(PoolState(maxConnections: max(maxConnections, 1), maxWaiting: maxWaiting))
    }

    /// Lends a connection to `body`.
    package func withConnection<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await checkOut()
        defer { checkIn(connection) }
        return try await body(connection)
    }

    package func query(_ sql: SQL, file: StaticString = #fileID, line: UInt = #line) async throws -> Rows {
        try await withConnection { try await $0.query(sql, file: file, line: line) }
    }

    @discardableResult
    package func execute(_ sql: SQL, file: StaticString = #fileID, line: UInt = #line) async throws -> Int {
        try await withConnection { try await $0.execute(sql, file: file, line: line) }
    }

    package func batch(
        _ statements: [SQL],
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try await withConnection { try await $0.batch(statements, file: file, line: line) }
    }

    package func withTransaction<T>(
        _ isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            try await connection.withTransaction(isolation, readOnly: readOnly, file: file, line: line, body)
        }
    }

    /// Refuses new callers, fails those that wait, closes what is idle, and returns when the last loan has come back.
    package func close() async {
        await withCheckedContinuation { continuation in
            perform(state.withLock { $0.close(continuation) })
        }
    }

    // MARK: Loans

    private func checkOut() async throws -> PostgresConnection {
        let id = state.withLock { $0.nextWaiterID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform(
                    state.withLock { state in
                        // Read under the lock: a cancellation after this finds the waiter in its place.
                        if Task.isCancelled { return [.fail(continuation, CancellationError())] }
                        return state.checkOut(id, continuation)
                    }
                )
            }
        } onCancel: {
            perform(state.withLock { $0.abandon(id, CancellationError()) })
        }
    }

    private func checkIn(_ connection: PostgresConnection) {
        perform(state.withLock { $0.checkIn(connection) })
    }

    // MARK: Effects

    private func perform(_ effects: [PoolState.Effect]) {
        for effect in effects {
            switch effect {
            case .lend(let connection, let continuation): continuation.resume(returning: connection)
            case .fail(let continuation, let error): continuation.resume(throwing: error)
            case .discard(let connection): connection.discard()
            case .connect: connect()
            case .retry(let delay): schedule(after: delay) { $0.backOffEnded() }
            case .startTimeout(let id): startTimeout(id)
            case .closed(let continuation): continuation.resume()
            }
        }
    }

    private func connect() {
        ConnectionAttempt(configuration: configuration, logger: logger).start { [self] result in
            if case .failure(let error) = result {
                logger.warning("cannot connect to PostgreSQL", metadata: ["error": "\(error)"])
            }
            perform(state.withLock { $0.connected(result) })
        }
    }

    private func startTimeout(_ id: UInt64) {
        schedule(after: checkoutTimeout) { $0.expire(id) }
    }

    private func schedule(after delay: Duration, _ transition: @escaping @Sendable (inout PoolState) -> [PoolState.Effect]) {
        guard let loop = try? EventLoop.shared.get() else { return }
        loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            perform(state.withLock { transition(&$0) })
        }
    }
}
