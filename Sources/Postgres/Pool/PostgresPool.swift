package import Logging
import Metrics
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
    private let checks = Mutex<[Check]>([])

    package typealias Check = @Sendable (PostgresConnection) async throws -> Void

    package init(
        _ configuration: PostgresConfiguration,
        maxConnections: Int = 8,
        maxWaiting: Int = 1024,
        checkoutTimeout: Duration = .seconds(5),
        logger: Logger
    ) {
        PostgresMetrics.begin()
        self.configuration = configuration
        self.checkoutTimeout = checkoutTimeout
        self.logger = logger
        state = Mutex(PoolState(maxConnections: max(maxConnections, 1), maxWaiting: maxWaiting))
    }

    /// Lends a connection to `body`.
    package func withConnection<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await checkOut()
        defer { checkIn(connection) }
        if !connection.wasUsed { try await check(connection) }
        return try await body(connection)
    }

    /// Has each connection looked at before its first use. One that `check` throws for is dropped, and whoever wanted it is
    /// told that there is none.
    package func onFirstUse(_ check: @escaping Check) {
        checks.withLock { $0.append(check) }
    }

    /// Drops the connections that are open now, those that are lent when they come back: the next ones are new.
    package func renew() {
        transition { $0.renew(at: .now) }
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
            transition { $0.close(continuation) }
        }
    }

    // MARK: Loans

    private func checkOut() async throws -> PostgresConnection {
        let id = state.withLock { $0.nextWaiterID() }
        let deadline = ContinuousClock.now.advanced(by: checkoutTimeout)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transition { state in
                    // Read under the lock: a cancellation that comes later finds the waiter in its place.
                    if Task.isCancelled { return [.fail(continuation, CancellationError())] }
                    return state.checkOut(id, deadline: deadline, continuation)
                }
            }
        } onCancel: {
            transition { $0.abandon(id) }
        }
    }

    private func checkIn(_ connection: PostgresConnection) {
        transition { $0.checkIn(connection) }
    }

    private func check(_ connection: PostgresConnection) async throws {
        do {
            for check in checks.withLock({ $0 }) { try await check(connection) }
            connection.noteUse()
        } catch {
            // Ended before it comes back, so that it is lent to nobody else.
            await connection.close()
            if error is CancellationError || error is PostgresConnectionError { throw error }
            logger.warning("a connection to PostgreSQL is of no use", metadata: ["error": "\(error)"])
            throw PostgresConnectionError.connectFailed("\(error)")
        }
    }

    // MARK: Effects

    private func transition(_ body: (inout sending PoolState) -> sending [PoolState.Effect]) {
        for effect in state.withLock(body) { perform(effect) }
    }

    private func perform(_ effect: PoolState.Effect) {
        switch effect {
        case .lend(let connection, let continuation): continuation.resume(returning: connection)
        case .fail(let continuation, let error): continuation.resume(throwing: error)
        case .discard(let connection): connection.discard()
        case .connect: connect()
        case .retry(let delay): schedule(after: delay) { $0.backOffEnded() }
        case .expireWaiters(let deadline): schedule(after: deadline - .now) { $0.expireWaiters(at: .now) }
        case .closed(let continuation): onLoop { continuation.resume() }
        case .report(let connections, let waiting):
            PostgresMetrics.poolConnections.record(connections)
            PostgresMetrics.poolWaiting.record(waiting)
        }
    }

    private func connect() {
        ConnectionAttempt(configuration: configuration, notifications: nil, logger: logger).start { [self] result in
            if case .failure(let error) = result {
                logger.warning("cannot connect to PostgreSQL", metadata: ["error": "\(error)"])
            }
            transition { $0.connected(result) }
        }
    }

    private func schedule(
        after delay: Duration,
        _ body: @escaping @Sendable (inout sending PoolState) -> sending [PoolState.Effect]
    ) {
        // Without a loop there are no connections either, and every attempt to make one has failed by itself.
        guard let loop = try? EventLoop.shared.get() else { return }
        loop.schedule(after: delay) { [weak self] in self?.transition(body) }
    }

    /// Behind everything that was handed to the loop before, such as the ends of connections.
    private func onLoop(_ body: @escaping EventLoop.Work) {
        guard let loop = try? EventLoop.shared.get() else { return body() }
        loop.enqueue(body)
    }
}
