package import Logging
import Metrics
import Synchronization

/// One session with a PostgreSQL server.
///
/// Any number of tasks may call it at once: their statements are pipelined in call order, and the failure of one does not
/// touch the others. Cancelling a task cancels its statement; once sent, the server's answer decides which came first.
package final class PostgresConnection: Sendable {
    package let backendPID: Int32
    let openedAt = ContinuousClock.now
    private let core: ConnectionCore
    private let isInTransactionScope = Atomic(false)
    private let hasBeenUsed = Atomic(false)

    init(
        session: Session,
        configuration: PostgresConfiguration,
        notifications: AsyncStream<String>.Continuation?,
        loop: EventLoop,
        logger: Logger
    ) {
        PostgresMetrics.connects.increment()
        backendPID = session.backendPID
        core = ConnectionCore(
            session: session,
            configuration: configuration,
            notifications: notifications,
            loop: loop,
            logger: logger
        )
        core.start()
    }

    deinit {
        core.close()
    }

    /// Opens a session; throws `PostgresConnectionError.connectFailed`, within the configured timeout, if it cannot.
    ///
    /// - Parameter notifications: takes the payload of whatever the session is notified of (`LISTEN`), and ends with the
    ///   session.
    package static func connect(
        _ configuration: PostgresConfiguration,
        notifications: AsyncStream<String>.Continuation? = nil,
        logger: Logger
    ) async throws -> PostgresConnection {
        let handover = ConnectionHandover()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard handover.expect(continuation) else { return }
                ConnectionAttempt(configuration: configuration, notifications: notifications, logger: logger)
                    .start(handover.finish)
            }
        } onCancel: {
            handover.cancel()
        }
    }

    /// Whether the session has ended: closed here, by the server, or by a fault.
    package var isClosed: Bool {
        core.isClosed.load(ordering: .sequentiallyConsistent)
    }

    /// Whether it is open, outside any transaction, with nothing under way.
    var isReusable: Bool {
        !isClosed && !core.isInTransaction.load(ordering: .relaxed) && core.pending.load(ordering: .relaxed) == 0
    }

    /// Whether a pool has lent it before.
    var wasUsed: Bool { hasBeenUsed.load(ordering: .relaxed) }

    func noteUse() {
        hasBeenUsed.store(true, ordering: .relaxed)
    }

    package func query(_ sql: SQL, file: StaticString = #fileID, line: UInt = #line) async throws -> Rows {
        let rows = try await send([sql], CallSite(file: file, line: line)).rows
        guard let result = rows.first else { preconditionFailure("a statement that succeeded has a result") }
        return result
    }

    /// Runs a statement and returns how many rows it affected.
    @discardableResult
    package func execute(_ sql: SQL, file: StaticString = #fileID, line: UInt = #line) async throws -> Int {
        try await query(sql, file: file, line: line).affected
    }

    /// Runs statements in one round trip and, outside a transaction, in one transaction of their own.
    ///
    /// Throws the first error, with the statement's index; then none of them took effect.
    package func batch(
        _ statements: [SQL],
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try await send(statements, CallSite(file: file, line: line)).rows
    }

    /// Runs a text of many statements, without parameters, by the simple protocol.
    ///
    /// Waits until everything sent before is done. Outside a transaction it is one transaction of its own.
    package func script(_ text: String, file: StaticString = #fileID, line: UInt = #line) async throws {
        _ = try await run(script: text, CallSite(file: file, line: line))
    }

    /// Puts rows into a table by `COPY`, which is the least work for the server where there are many.
    ///
    /// Waits until everything sent before is done. Outside a transaction it is one of its own. Constraints hold as for an
    /// `INSERT`; the first row that the server refuses fails all of them.
    ///
    /// - Throws: as a statement does; `CancellationError` where the task is cancelled before the last row is sent.
    /// - Returns: how many rows the table has more.
    @discardableResult
    package func copy(_ rows: CopyRows, file: StaticString = #fileID, line: UInt = #line) async throws -> Int {
        precondition(rows.isComplete, "each row has a field for each column")
        if let fault = rows.fault { throw fault }
        guard rows.bytes.count <= PostgresRequestError.maximumBytes else { throw PostgresRequestError.tooLarge }
        guard rows.count > 0 else { return 0 }
        let request = Request(.copy(rows), site: CallSite(file: file, line: line))
        return try await perform(request).rows.first?.affected ?? 0
    }

    /// Ends the session at once: what waits fails as closed, what is in flight as lost.
    package func close() async {
        await withCheckedContinuation { continuation in
            core.close { continuation.resume() }
        }
    }

    // MARK: Internal

    /// Ends the session without waiting for that.
    func discard() {
        core.close()
    }

    func run(script text: String, _ site: CallSite) async throws -> Request.Reply {
        guard !text.utf8.contains(0) else { throw PostgresRequestError.containsNUL }
        return try await perform(Request(.script(text), site: site))
    }

    func send(_ statements: [SQL], _ site: CallSite) async throws -> Request.Reply {
        try validate(statements)
        return try await perform(Request(.statements(statements), site: site))
    }

    /// Sends a statement that must be sent even if the task is cancelled.
    func sendRegardless(_ sql: SQL, isUrgent: Bool, _ site: CallSite) async throws -> Request.Reply {
        let request = Request(.statements([sql]), site: site, isUrgent: isUrgent)
        return try await withCheckedThrowingContinuation { continuation in
            request.continuation = continuation
            core.submit(request)
        }
    }

    private func perform(_ request: Request) async throws -> Request.Reply {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                request.continuation = continuation
                core.submit(request)
            }
        } onCancel: {
            core.cancel(request)
        }
    }

    private func validate(_ statements: [SQL]) throws {
        var bytes = 0
        for sql in statements {
            if let fault = sql.arguments.fault { throw fault }
            let count = sql.arguments.count
            guard count <= PostgresRequestError.maximumParameters else {
                throw PostgresRequestError.tooManyParameters(count)
            }
            bytes += sql.arguments.bytes.count + sql.text.utf8.count
        }
        guard bytes <= PostgresRequestError.maximumBytes else { throw PostgresRequestError.tooLarge }
    }

    /// Claims the connection for a transaction; two at once would become one.
    func enterTransactionScope() throws {
        let isFree = isInTransactionScope.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        )
        guard isFree.exchanged else { throw PostgresRequestError.transactionInProgress }
    }

    func leaveTransactionScope() {
        isInTransactionScope.store(false, ordering: .releasing)
    }

    var isInTransaction: Bool {
        core.isInTransaction.load(ordering: .relaxed)
    }
}
