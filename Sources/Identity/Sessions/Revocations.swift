package import Foundation
import Postgres
import Synchronization

/// Which sessions have ended while access tokens of theirs may still be about.
///
/// An access token proves that its session once lived; what is left to know is whether it was revoked since. That is one
/// small query per process and half second, whatever the number of requests, and the same query tells open streams of
/// sessions that another process has ended; where nobody asks, and whoever else ended one would say so, it is one in 10 s. Each time it reads all revocations of the last token lifetime: nothing is
/// lost to a transaction that commits late.
package final class Revocations: Sendable {
    private let pool: PostgresPool
    private let window: TimeInterval
    private let limit: Int
    private let state = Mutex(State())
    /// Says that a hint was taken.
    private let hinted: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// The greatest age of what requests are judged by.
    private static let maximumAge: Duration = .seconds(1)
    /// How old what streams are ended by may be, where nobody asked for so long and others would be heard.
    private static let restingAge: Duration = .seconds(10)
    /// Many sessions that end one after the other cost so many queries, and no more.
    private static let hintInterval: Duration = .milliseconds(50)

    private struct State {
        var revoked: Set<UUID> = []
        /// More have been revoked than are kept: those not found in `revoked` are asked for one by one.
        var isIncomplete = false
        /// When the query began whose answer `revoked` is.
        var readAt: ContinuousClock.Instant?
        /// When a request was judged last.
        var askedAt: ContinuousClock.Instant?
        var mayRest: @Sendable () -> Bool = { false }
        /// Ended by this process since the query in flight began, which may not see them.
        var endedMeanwhile: Set<UUID> = []
        var isReading = false
        var waiting: [CheckedContinuation<Void, any Error>] = []
        var handlers: [@Sendable (UUID) -> Void] = []
        var ownHandlers: [@Sendable () -> Void] = []

        mutating func endReading() -> [CheckedContinuation<Void, any Error>] {
            isReading = false
            endedMeanwhile = []
            defer { waiting = [] }
            return waiting
        }
    }

    /// - Parameters:
    ///   - window: how long after a revocation an access token of the session can be good, with the clocks' differences.
    ///   - limit: how many revocations are kept in memory.
    init(pool: PostgresPool, window: TimeInterval, limit: Int = 20_000) {
        self.pool = pool
        self.window = window
        self.limit = limit
        (hinted, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Calls `handler` once for each session that ends, whichever process ended it. The handler must not block.
    package func onRevoked(_ handler: @escaping @Sendable (_ sessionID: UUID) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Calls `handler` when this process has ended a session. The handler must not block.
    package func onEndedHere(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.ownHandlers.append(handler) }
    }

    /// Another process may have ended sessions: they are read at once, by ``followHints()``.
    package func hint() {
        wake.yield()
    }

    /// Reads seldom while nobody asks and `mayRest` says that no other process ends sessions that would not be heard of. It must
    /// not block.
    package func rest(while mayRest: @escaping @Sendable () -> Bool) {
        state.withLock { $0.mayRest = mayRest }
    }

    /// Whether no other process works on the database that would not be heard of. Asks nobody.
    var mayRest: Bool {
        let mayRest = state.withLock { $0.mayRest }
        return mayRest()
    }

    /// Reads the revocations as often as is needed, where it is called in each interval.
    func poll(inEach interval: Duration) async throws {
        let askedAt = state.withLock { $0.askedAt }
        let isAsked = askedAt.map { ContinuousClock.now - $0 < Self.restingAge } ?? false
        let rests = !isAsked && mayRest
        try await refresh(ifOlderThan: rests ? max(Self.restingAge, interval / 2) : interval / 2)
    }

    /// Reads the revocations at every hint, until cancelled.
    func followHints() async {
        for await _ in hinted {
            // Where it fails, the poll that needs no hint says so.
            try? await refresh(ifOlderThan: .zero)
            try? await Task.sleep(for: Self.hintInterval)
        }
    }

    /// Whether the session is known to have ended; no IO. A stream asks once more when it has been entered where
    /// `onRevoked` looks for it.
    package func isRevoked(_ session: UUID) -> Bool {
        state.withLock { $0.revoked.contains(session) }
    }

    /// - Throws: `IdentityError.unauthenticated` if the session has ended, a database error if that cannot be told.
    func requireLive(_ session: UUID) async throws {
        try await refresh(ifOlderThan: Self.maximumAge)
        let (isRevoked, isIncomplete) = state.withLock { state in
            state.askedAt = .now
            return (state.revoked.contains(session), state.isIncomplete)
        }
        guard !isRevoked else { throw IdentityError.unauthenticated }
        guard isIncomplete else { return }
        let live = try await pool.query(
            "SELECT 1 FROM parley.sessions WHERE session_id = \(session) AND revoked_at IS NULL"
        )
        guard !live.isEmpty else { throw IdentityError.unauthenticated }
    }

    /// This process has ended the session.
    func sessionEnded(_ session: UUID) {
        let (handlers, ownHandlers) = state.withLock { state in
            if state.isReading { state.endedMeanwhile.insert(session) }
            return (state.revoked.insert(session).inserted ? state.handlers : [], state.ownHandlers)
        }
        for handler in handlers { handler(session) }
        for handler in ownHandlers { handler() }
    }

    /// Reads the revocations, unless they are young enough. Those who ask at the same time share one query.
    func refresh(ifOlderThan age: Duration) async throws {
        while true {
            let part = state.withLock { state -> Part in
                if let readAt = state.readAt, ContinuousClock.now - readAt <= age { return .nothing }
                guard !state.isReading else { return .waiting }
                state.isReading = true
                return .reading
            }
            switch part {
            case .nothing: return
            case .reading: return try await read()
            case .waiting: try await waitForReader()
            }
        }
    }

    private enum Part {
        case nothing, reading, waiting
    }

    private func read() async throws {
        let begin = ContinuousClock.now
        do {
            let rows = try await pool.query(
                """
                SELECT session_id FROM parley.sessions
                WHERE revoked_at > now() - make_interval(secs => \(window))
                ORDER BY revoked_at DESC
                LIMIT \(limit + 1)
                """
            )
            let newest = try rows.map { try $0.decode("session_id", as: UUID.self) }
            finish(with: newest, readAt: begin)
        } catch {
            abandon(error)
            throw error
        }
    }

    private func finish(with newest: [UUID], readAt: ContinuousClock.Instant) {
        let (handlers, ended, waiting) = state.withLock { state in
            let known = state.revoked
            let ended = newest.prefix(limit).filter { !known.contains($0) }
            state.revoked = Set(newest.prefix(limit)).union(state.endedMeanwhile)
            state.isIncomplete = newest.count > limit
            state.readAt = readAt
            return (state.handlers, ended, state.endReading())
        }
        for session in ended {
            for handler in handlers { handler(session) }
        }
        for continuation in waiting { continuation.resume() }
    }

    private func abandon(_ error: any Error) {
        let waiting = state.withLock { $0.endReading() }
        for continuation in waiting {
            // That the reader was cancelled is no concern of the others: one of them reads.
            if error is CancellationError { continuation.resume() } else { continuation.resume(throwing: error) }
        }
    }

    private func waitForReader() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.isReading { state.waiting.append(continuation) }
                return state.isReading
            }
            if !isWaiting { continuation.resume() }
        }
    }
}
