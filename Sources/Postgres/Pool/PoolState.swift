/// What the pool knows and decides.
///
/// It does nothing itself: each transition returns the effects that its caller performs after letting go of the lock.
struct PoolState: Sendable {
    typealias Continuation = CheckedContinuation<PostgresConnection, any Error>
    typealias Instant = ContinuousClock.Instant

    enum Effect: Sendable {
        case lend(PostgresConnection, Continuation)
        case fail(Continuation, any Error)
        case discard(PostgresConnection)
        case connect
        case retry(after: Duration)
        case expireWaiters(at: Instant)
        case closed(CheckedContinuation<Void, Never>)
        case report(connections: Int, waiting: Int)
    }

    private struct Waiter {
        let id: UInt64
        let deadline: Instant
        let continuation: Continuation
    }

    private let maxConnections: Int
    private let maxWaiting: Int

    private var idle: [PostgresConnection] = []
    private var lent = 0
    private var connecting = 0
    /// In the order of their coming, and so of their deadlines.
    private var waiters: [Waiter] = []
    private var isTimerSet = false
    private var lastWaiterID: UInt64 = 0
    private var isClosed = false
    /// Connections that were opened before are not lent any more.
    private var renewedAt: Instant?
    private var closers: [CheckedContinuation<Void, Never>] = []

    private var backOff = BackOff()
    private var isBackingOff = false
    private var lastFailure: PostgresConnectionError?

    init(maxConnections: Int, maxWaiting: Int) {
        self.maxConnections = maxConnections
        self.maxWaiting = maxWaiting
    }

    mutating func nextWaiterID() -> UInt64 {
        lastWaiterID += 1
        return lastWaiterID
    }

    mutating func checkOut(_ id: UInt64, deadline: Instant, _ continuation: Continuation) -> [Effect] {
        guard !isClosed else { return [.fail(continuation, PostgresConnectionError.closed)] }
        if waiters.isEmpty, let connection = takeIdle() {
            lent += 1
            return [.lend(connection, continuation)]
        }
        guard waiters.count < maxWaiting else { return [.fail(continuation, PostgresConnectionError.poolExhausted)] }
        waiters.append(Waiter(id: id, deadline: deadline, continuation: continuation))
        return connectIfNeeded() + setTimer() + [report]
    }

    mutating func checkIn(_ connection: PostgresConnection) -> [Effect] {
        lent -= 1
        guard connection.isReusable, !isClosed, !isOutdated(connection) else {
            return [.discard(connection)] + connectIfNeeded() + finishClosing() + [report]
        }
        return offer(connection)
    }

    mutating func connected(_ result: Result<PostgresConnection, PostgresConnectionError>) -> [Effect] {
        connecting -= 1
        switch result {
        case .success(let connection):
            backOff = BackOff()
            lastFailure = nil
            guard !isClosed else { return [.discard(connection)] + finishClosing() }
            guard !isOutdated(connection) else { return [.discard(connection)] + connectIfNeeded() }
            return offer(connection) + connectIfNeeded()
        case .failure(let error):
            lastFailure = error
            guard !isClosed else { return finishClosing() }
            guard !isBackingOff else { return [] }
            isBackingOff = true
            return [.retry(after: backOff.next())]
        }
    }

    mutating func backOffEnded() -> [Effect] {
        isBackingOff = false
        return connectIfNeeded()
    }

    /// Fails those who have waited long enough; if the server cannot be reached, that is what they hear.
    mutating func expireWaiters(at now: Instant) -> [Effect] {
        isTimerSet = false
        let expired = waiters.prefix { $0.deadline <= now }
        waiters.removeFirst(expired.count)
        let error = lastFailure ?? PostgresConnectionError.poolExhausted
        return expired.map { .fail($0.continuation, error) } + setTimer() + [report]
    }

    mutating func abandon(_ id: UInt64) -> [Effect] {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return [] }
        let waiter = waiters.remove(at: index)
        return [.fail(waiter.continuation, CancellationError()), report]
    }

    mutating func renew(at now: Instant) -> [Effect] {
        renewedAt = now
        let outdated = idle
        idle = []
        return outdated.map { .discard($0) } + [report]
    }

    private func isOutdated(_ connection: PostgresConnection) -> Bool {
        guard let renewedAt else { return false }
        return connection.openedAt < renewedAt
    }

    mutating func close(_ continuation: CheckedContinuation<Void, Never>) -> [Effect] {
        isClosed = true
        closers.append(continuation)
        let effects: [Effect] =
            waiters.map { .fail($0.continuation, PostgresConnectionError.closed) } + idle.map { .discard($0) }
        waiters = []
        idle = []
        return effects + finishClosing() + [report]
    }

    // MARK: Parts

    private mutating func offer(_ connection: PostgresConnection) -> [Effect] {
        guard !waiters.isEmpty else {
            idle.append(connection)
            return [report]
        }
        lent += 1
        let waiter = waiters.removeFirst()
        return [.lend(connection, waiter.continuation), report]
    }

    /// The connection used last, whose caches are warmest; those that broke meanwhile are dropped.
    private mutating func takeIdle() -> PostgresConnection? {
        while let connection = idle.popLast() {
            if connection.isReusable { return connection }
        }
        return nil
    }

    private mutating func connectIfNeeded() -> [Effect] {
        guard !isClosed, !isBackingOff else { return [] }
        idle.removeAll { $0.isClosed }
        // After a failure one attempt feels its way, not all at once.
        let needed = lastFailure == nil ? waiters.count : min(waiters.count, 1)
        let room = maxConnections - lent - idle.count - connecting
        let count = max(min(needed - connecting, room), 0)
        connecting += count
        return Array(repeating: .connect, count: count)
    }

    /// One timer serves all: the first in the queue is the first to expire.
    private mutating func setTimer() -> [Effect] {
        guard !isTimerSet, let first = waiters.first else { return [] }
        isTimerSet = true
        return [.expireWaiters(at: first.deadline)]
    }

    private mutating func finishClosing() -> [Effect] {
        guard isClosed, lent == 0, connecting == 0 else { return [] }
        defer { closers = [] }
        return closers.map { .closed($0) }
    }

    private var report: Effect {
        .report(connections: lent + idle.count, waiting: waiters.count)
    }
}
