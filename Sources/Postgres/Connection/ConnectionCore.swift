import CLibPQ
import DequeModule
import Logging
import Metrics
import Synchronization

/// One session with the server: what waits, what is in flight, and the socket.
///
/// Requests are pipelined in call order, each closed by its own Sync, so that one that fails leaves its neighbours alone.
final class ConnectionCore {
    let loop: EventLoop
    let connection: OpaquePointer
    let descriptor: Int32
    let logger: Logger
    /// How long a cancel or a ROLLBACK may go unanswered.
    let patience: Duration

    /// Read by any thread; written on the loop's before the callers of a request hear of its end.
    let isClosed = Atomic(false)
    let isInTransaction = Atomic(false)
    /// Requests handed over and not finished.
    let pending = Atomic(0)

    var waiting = Deque<Request>()
    var inFlight = Deque<Request>()
    var statements: StatementCache
    var isCancelling = false
    var isWriting = false
    /// Where the parameters of the statement that is being sent lie; kept for its storage.
    var values: [UnsafePointer<CChar>?] = []
    var cancelTimer: TimerID?
    let notifications: AsyncStream<String>.Continuation?
    private let isEncrypted: Bool
    private var isRereadScheduled = false

    /// Deep enough to keep the server busy, shallow enough that what is cancelled has often not been sent.
    static let maximumInFlight = 64
    static let maximumWaiting = 4096

    init(
        session: Session,
        configuration: PostgresConfiguration,
        notifications: AsyncStream<String>.Continuation?,
        loop: EventLoop,
        logger: Logger
    ) {
        self.notifications = notifications
        self.loop = loop
        self.logger = logger
        connection = session.pointer
        descriptor = session.descriptor
        isEncrypted = session.isEncrypted
        statements = StatementCache(capacity: max(configuration.preparedStatements, 1))
        patience = configuration.patience
    }

    func start() {
        loop.enqueue { [self] in loop.register(self, descriptor: descriptor) }
    }

    // MARK: From any thread

    func submit(_ request: Request) {
        pending.add(1, ordering: .relaxed)
        loop.enqueue { [self] in accept(request) }
    }

    func cancel(_ request: Request) {
        loop.enqueue { [self] in cancelOnLoop(request) }
    }

    /// Ends the session at once: what waits fails as closed, what is in flight as lost.
    func close(_ completion: @escaping EventLoop.Work = {}) {
        loop.enqueue { [self] in
            if !isClosed.load(ordering: .relaxed) { end(waitingFailWith: .closed) }
            completion()
        }
    }

    // MARK: On the loop's thread

    private func accept(_ request: Request) {
        if request.isCancelled {
            finish(request, .failure(CancellationError()))
        } else if isClosed.load(ordering: .relaxed) {
            finish(request, .failure(PostgresConnectionError.closed))
        } else if waiting.count >= Self.maximumWaiting {
            finish(request, .failure(PostgresConnectionError.queueFull))
        } else {
            request.phase = .waiting
            waiting.append(request)
            pump()
        }
    }

    /// Sends what may be sent.
    func pump() {
        loop.assertIsCurrent()
        while !isClosed.load(ordering: .relaxed), let request = nextToSend() {
            guard send(request) else {
                lose("sending failed")
                // It stands in neither queue, so nobody else tells its caller.
                return finish(request, .failure(PostgresConnectionError.connectionLost))
            }
            request.phase = .inFlight
            inFlight.append(request)
            expireIfAsked(request)
        }
        flush()
        sendRows()
    }

    private func nextToSend() -> Request? {
        // While a cancel is under way, it may hit whatever the server is executing; so nothing new joins.
        guard !isCancelling, inFlight.count < Self.maximumInFlight else { return nil }
        if inFlight.first?.isAlone == true { return nil }
        if inFlight.isEmpty, !statements.evicted.isEmpty, PQtransactionStatus(connection) == PQTRANS_IDLE {
            return Request(.deallocate(statements.takeEvicted()), site: CallSite(file: #fileID, line: #line))
        }
        if waiting.first?.isAlone == true, !inFlight.isEmpty { return nil }
        return waiting.popFirst()
    }

    func finish(_ request: Request, _ result: Result<Request.Reply, any Error>) {
        loop.assertIsCurrent()
        if let timer = request.timer { loop.cancel(timer) }
        if case .deallocate = request.work {} else { pending.subtract(1, ordering: .relaxed) }
        request.finish(result)
    }

    /// The session is gone, and with it the outcome of everything in flight.
    func lose(_ reason: String) {
        guard !isClosed.load(ordering: .relaxed) else { return }
        logger.warning("connection to PostgreSQL lost", metadata: ["reason": "\(reason)"])
        PostgresMetrics.connectionsLost.increment()
        end(waitingFailWith: .connectionLost)
    }

    func end(waitingFailWith error: PostgresConnectionError) {
        loop.assertIsCurrent()
        isClosed.store(true, ordering: .sequentiallyConsistent)
        loop.unregister(descriptor: descriptor)
        if let cancelTimer { loop.cancel(cancelTimer) }
        PQfinish(connection)
        notifications?.finish()
        while let request = inFlight.popFirst() {
            finish(request, .failure(PostgresConnectionError.connectionLost))
        }
        while let request = waiting.popFirst() {
            finish(request, .failure(error))
        }
    }

    private func expireIfAsked(_ request: Request) {
        guard request.isUrgent else { return }
        expire(request, after: patience) { $0.lose("no answer in time") }
    }

    /// Runs `body` if the request is still unanswered after `delay`.
    func expire(_ request: Request, after delay: Duration, _ body: @escaping @Sendable (ConnectionCore) -> Void) {
        guard request.timer == nil else { return }
        request.timer = loop.schedule(after: delay) { [weak self] in
            if let self, !isClosed.load(ordering: .relaxed) { body(self) }
        }
    }
}

// Unchecked, because a thread is no actor to the compiler. The methods for any thread go to the loop by `enqueue`, and debug
// builds stop where somebody else calls the others (`assertIsCurrent`); the rest is atomic or never changes.
extension ConnectionCore: @unchecked Sendable {}  // SAFETY: what changes is touched on the event loop's thread alone.

extension ConnectionCore: EventHandler {
    func handle(readable: Bool, writable: Bool) {
        if readable {
            let isAlive = read()
            // Complete answers that came before the end still count.
            receive()
            if isClosed.load(ordering: .relaxed) { return }
            if !isAlive { return lose("the server closed the connection") }
            if isEncrypted { scheduleReread() }
        }
        pump()
    }

    private func read() -> Bool {
        guard isEncrypted else { return PQconsumeInput(connection) == 1 }
        // The first call may take half of a TLS record and leave the rest in OpenSSL, where `poll` does not see it.
        return PQconsumeInput(connection) == 1 && PQconsumeInput(connection) == 1
    }

    /// While an answer is awaited, makes sure that nothing stays in OpenSSL for long.
    private func scheduleReread() {
        guard !isRereadScheduled, !inFlight.isEmpty else { return }
        isRereadScheduled = true
        loop.schedule(after: .milliseconds(10)) { [weak self] in
            guard let self, !isClosed.load(ordering: .relaxed) else { return }
            isRereadScheduled = false
            handle(readable: true, writable: false)
        }
    }
}
