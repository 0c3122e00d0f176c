import EventStore
package import Logging
package import Postgres
import Synchronization

/// Which partitions this process projects, where several work on one database: each is projected by one of them, and the
/// work is spread evenly (decision 0065).
///
/// A lease is an advisory lock of PostgreSQL, held by a session that says something every second. It ends with the session:
/// at once where the process ends or dies, and after 4 s where nothing is heard of it. Leases save work; that each event is
/// projected once is the checkpoint's doing.
package final class ProjectionLeases: Sendable {
    /// How often a process looks whether the work is spread evenly.
    private static let turn = Duration.seconds(1)
    /// PostgreSQL ends a session that is silent for so long.
    static let patience = "4s"
    /// Whatever nobody has taken for so many turns is taken by whoever sees it, be it more than an even share.
    private static let orphanTurns = 2
    /// The locks' classes: one lock that all processes share, and one for each partition.
    private static let (members, leases): (Int32, Int32) = (0x7061_726d, 0x7061_726c)

    private let partitions: Int
    private let database: PostgresConfiguration
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// In the order in which they were taken.
        var held: [Int] = [] {
            didSet { set = Set(held) }
        }
        /// The same, as every batch asks for it.
        private(set) var set: Set<Int> = []
        /// What does not go on here: it is left to others, until it does.
        var givenUp: Set<Int> = []
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextID = 0
        var handlers: [@Sendable () -> Void] = []
        var wake: AsyncStream<Void>.Continuation?
    }

    package init(partitions: Int, database: PostgresConfiguration, logger: Logger) {
        self.partitions = partitions
        var database = database
        database.applicationName = "parley-leases"
        database.settings["idle_session_timeout"] = Self.patience
        self.database = database
        self.logger = logger
    }

    /// How many partitions each process that takes part has, the most first; asked from outside of them.
    package static func shares(on connection: PostgresConnection) async throws -> [Int] {
        let view = try await LeaseView.read(members: members, leases: leases, on: connection)
        return view.sessions.map { session in view.taken.values.count { $0 == session } }.sorted(by: >)
    }

    /// The partitions that are this process's to project.
    package var held: Set<Int> { state.withLock { $0.set } }

    package func holds(_ partition: Int) -> Bool { held.contains(partition) }

    /// A signal whenever partitions come or go; signals that were not taken yet fall together.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        return stream
    }

    /// Calls `handler` where other processes should look at once. It must not block.
    package func onNews(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Another process says that there is something to take or to give.
    package func hint() {
        state.withLock { $0.wake }?.yield()
    }

    /// Leaves a partition that does not go on here to others, or takes part again.
    func leave(_ partition: Int, _ isLeft: Bool) {
        let isNews = state.withLock { state in
            isLeft ? state.givenUp.insert(partition).inserted : state.givenUp.remove(partition) != nil
        }
        if isNews { hint() }
    }

    /// Takes part until cancelled.
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
                    logger.warning("the leases of partitions are lost", metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
            if ContinuousClock.now - began > .seconds(10) { (backOff, isFailing) = (BackOff(), false) }
            // Ends early only by cancellation, which the loop looks at.
            try? await Task.sleep(for: backOff.next())
        }
    }

    private func takePart() async throws {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let result: Result<Void, any Error>
        do {
            try await connection.execute("SELECT pg_advisory_lock_shared(\(Self.members), 0)")
            state.withLock { $0.wake = wake }
            notifyOthers()
            defer { wake.finish() }
            Heartbeats.thread.tick(wake, every: Self.turn)
            try await takeTurns(on: connection, wakenBy: wakes)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        state.withLock { $0.wake = nil }
        hold([])
        // Before the others look: a session that is closed has its locks for some moments more. On a task that is not
        // cancelled, as this one may be.
        await Task { _ = try? await connection.execute("SELECT pg_advisory_unlock_all()") }.value
        notifyOthers()
        await connection.close()
        try result.get()
    }

    private func takeTurns(on connection: PostgresConnection, wakenBy wakes: AsyncStream<Void>) async throws {
        var freeFor: [Int: Int] = [:]
        // One iteration all along: a stream whose reader is cancelled has ended.
        for await _ in wakes {
            let view = try await LeaseView.read(members: Self.members, leases: Self.leases, on: connection)
            let (held, givenUp) = state.withLock { ($0.held, $0.givenUp) }
            let share = view.share(of: partitions)
            let back = held.filter(givenUp.contains) + held.filter { !givenUp.contains($0) }.dropLast(share)
            if !back.isEmpty {
                hold(held.filter { !back.contains($0) })
                let keys = back.map { Int32(clamping: $0) }
                try await connection.execute(
                    "SELECT pg_advisory_unlock(\(Self.leases), p) FROM unnest(\(keys)) AS p"
                )
                notifyOthers()
            }
            let free = view.free(of: partitions).filter { !givenUp.contains($0) && !held.contains($0) }
            freeFor = Dictionary(free.map { ($0, freeFor[$0, default: 0] + 1) }) { first, _ in first }
            let room = max(0, share - (held.count - back.count))
            let chosen = free.prefix(room) + free.dropFirst(room).filter { freeFor[$0, default: 0] > Self.orphanTurns }
            if !chosen.isEmpty { try await take(Array(chosen), on: connection) }
        }
    }

    private func take(_ chosen: [Int], on connection: PostgresConnection) async throws {
        let keys = chosen.map { Int32(clamping: $0) }
        let rows = try await connection.query(
            "SELECT p AS partition, pg_try_advisory_lock(\(Self.leases), p) AS taken FROM unnest(\(keys)) AS p"
        )
        var taken: [Int] = []
        for row in rows where try row.decode("taken") { taken.append(try row.decode("partition")) }
        hold(state.withLock { $0.held } + taken)
    }

    private func hold(_ partitions: [Int]) {
        let subscribers = state.withLock { state in
            guard state.held != partitions else { return [AsyncStream<Void>.Continuation]() }
            state.held = partitions
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield() }
    }

    private func notifyOthers() {
        for handler in state.withLock({ $0.handlers }) { handler() }
    }
}

/// Who takes part, and what is taken, at one moment.
private struct LeaseView {
    /// Which session this is.
    let own: Int
    /// The sessions of all processes that take part, in order.
    let sessions: [Int]
    /// Which session has each partition.
    let taken: [Int: Int]

    static func read(members: Int32, leases: Int32, on connection: PostgresConnection) async throws -> LeaseView {
        let rows = try await connection.query(
            """
            SELECT pg_backend_pid() AS own, l.pid, l.classid::bigint = \(Int64(members)) AS member, l.objid::bigint AS key
            FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
                AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                AND l.classid::bigint IN (\(Int64(members)), \(Int64(leases)))
            """
        )
        var (own, sessions, taken): (Int, Set<Int>, [Int: Int]) = (0, [], [:])
        for row in rows {
            own = try row.decode("own")
            let session: Int = try row.decode("pid")
            if try row.decode("member") {
                sessions.insert(session)
            } else {
                taken[try row.decode("key")] = session
            }
        }
        return LeaseView(own: own, sessions: sessions.sorted(), taken: taken)
    }

    /// How many partitions are this process's: all have as many, or one more.
    func share(of partitions: Int) -> Int {
        guard let rank = sessions.firstIndex(of: own) else { return partitions }
        return partitions / sessions.count + (rank < partitions % sessions.count ? 1 : 0)
    }

    /// What nobody has, each process from another one on, so that they do not all reach for the same.
    func free(of partitions: Int) -> [Int] {
        let start = (sessions.firstIndex(of: own) ?? 0) * partitions / max(1, sessions.count)
        return (0..<partitions).map { ($0 + start) % partitions }.filter { taken[$0] == nil }
    }
}
