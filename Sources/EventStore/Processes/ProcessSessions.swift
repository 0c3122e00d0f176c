package import Logging
package import Postgres
import Synchronization

/// Which processes live: each holds a session of PostgreSQL that says something every second, and in it a lock of its own.
///
/// The session ends with its process, or after 4 s in which nothing is heard of it. What a process claims bears its key, so
/// that others give it back as soon as the process is gone, and need not wait for the claim's end (decision 0068).
package final class ProcessSessions: Sendable {
    private static let turn = Duration.seconds(1)
    /// PostgreSQL ends a session that is silent for so long.
    private static let patience = "4s"
    /// The class of the locks.
    private static let locks: Int32 = 0x7061_7273

    private let ownKey = Int32.random(in: 1...Int32.max)
    private let database: PostgresConfiguration
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var view = SessionsView()
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextID = 0
        var handlers: [@Sendable () -> Void] = []
        var wake: AsyncStream<Void>.Continuation?
    }

    package init(database: PostgresConfiguration, logger: Logger) {
        var database = database
        database.applicationName = "parley-process"
        database.settings["idle_session_timeout"] = Self.patience
        self.database = database
        self.logger = logger
    }

    /// What a claim of this process bears; nil where the others do not surely see it living: such a claim lasts for its time.
    package var key: Int32? { state.withLock { $0.view.isCurrent(at: .now) ? ownKey : nil } }

    /// The keys of all that live; nil as long as that is not known.
    var living: [Int32]? { state.withLock { $0.view.living(at: .now) } }

    /// Has `giveBack` called with the keys of all that live, at first and whenever somebody has gone, until cancelled.
    ///
    /// It is called as soon as somebody is missing, who still counts as living then, and once more when that is over. Where it
    /// throws, claims end by themselves.
    package func follow(_ giveBack: ([Int32]) async throws -> Void) async {
        for await _ in changes() {
            guard let living else { continue }
            do {
                try await giveBack(living)
            } catch {
                logger.debug(
                    "what a process has left behind is not given back",
                    metadata: ["error": "\(String(reflecting: type(of: error)))"]
                )
            }
        }
    }

    /// Calls `handler` where other processes should see at once who is there. It must not block.
    package func onNews(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Another process says that one has gone.
    package func hint() {
        state.withLock { $0.wake }?.yield()
    }

    /// Shows that this process lives, and sees who else does, until cancelled.
    package func run() async {
        await withTaskExecutorPreference(Heartbeats.thread) { await keepPart() }
    }

    private func keepPart() async {
        var backOff = BackOff()
        var isFailing = false
        while !Task.isCancelled {
            let began = ContinuousClock.now
            do {
                try await takePart()
            } catch {
                if !isFailing, !Task.isCancelled {
                    logger.warning("the process's session is lost", metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
            if ContinuousClock.now - began > .seconds(10) { (backOff, isFailing) = (BackOff(), false) }
            // Ends early only by cancellation, which the loop sees.
            try? await Task.sleep(for: backOff.next())
        }
    }

    /// A signal at first, and whenever somebody has gone; signals that were not taken yet fall together.
    private func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        continuation.yield()
        return stream
    }

    private func takePart() async throws {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let result: Result<Void, any Error>
        do {
            try await connection.execute("SELECT pg_advisory_lock_shared(\(Self.locks), \(ownKey))")
            state.withLock { state in
                state.wake = wake
                state.view.begin()
            }
            defer { wake.finish() }
            Heartbeats.thread.tick(wake, every: Self.turn)
            for await _ in wakes {
                let asked = ContinuousClock.now
                note(try await keys(on: connection), askedAt: asked)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.wake = nil
            state.view.end()
        }
        // Before the others see: a session that is closed has its locks for some moments more. On a task that is not
        // cancelled, as this one may be.
        await Task { _ = try? await connection.execute("SELECT pg_advisory_unlock_all()") }.value
        for handler in state.withLock({ $0.handlers }) { handler() }
        await connection.close()
        try result.get()
    }

    private func keys(on connection: PostgresConnection) async throws -> Set<Int32> {
        let rows = try await connection.query(
            """
            SELECT l.objid::bigint::int AS key FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.classid::bigint = \(Int64(Self.locks))
                AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            """
        )
        return Set(try rows.map { try $0.decode("key", as: Int32.self) })
    }

    private func note(_ keys: Set<Int32>, askedAt asked: ContinuousClock.Instant) {
        let subscribers: [AsyncStream<Void>.Continuation] = state.withLock { state in
            state.view.note(keys, askedAt: asked, at: .now) ? Array(state.subscribers.values) : []
        }
        for subscriber in subscribers { subscriber.yield() }
    }
}
