import Postgres

/// How long until others have the share of a process that projects and is gone, in seconds.
struct TakeOver: Sendable {
    /// What is promised on a machine that has nothing else to do.
    private static let limit = 5.0
    private static let partitions = 16
    private static let patience = Duration.seconds(60)

    /// From SIGTERM on, with the time that the process takes to end.
    let ended: Double
    let killed: Double
    /// How long the process then takes to be ready: how quick this machine is just now.
    let start: Double

    /// Ends the last process, and kills it.
    static func measure(_ staged: StagedProcesses) async throws -> TakeOver {
        guard let last = staged.processes.last else { preconditionFailure("the row has started processes") }
        let ended = try await time(of: staged) { await last.end() }
        let begin = ContinuousClock.now
        try await last.start()
        let start = (ContinuousClock.now - begin) / .seconds(1)
        let killed = try await time(of: staged) { await last.kill() }
        try await last.start()
        let takeOver = TakeOver(ended: ended, killed: killed, start: start)
        guard max(ended, killed) <= limit + start else {
            throw APIFailure.unexpected(request: "taking over", answer: "\(takeOver)")
        }
        return takeOver
    }

    private static func time(of staged: StagedProcesses, _ leave: () async -> Void) async throws -> Double {
        let count = staged.processes.count
        try await waitUntilShared(by: count, staged)
        let begin = ContinuousClock.now
        await leave()
        try await waitUntilShared(by: count - 1, staged)
        return (ContinuousClock.now - begin) / .seconds(1)
    }

    /// Waits until so many processes project everything.
    private static func waitUntilShared(by processes: Int, _ staged: StagedProcesses) async throws {
        let begin = ContinuousClock.now
        try await staged.subject.server.withDatabase { connection in
            while true {
                let rows = try await connection.query(
                    """
                    SELECT count(l.objid)::int AS partitions FROM pg_stat_activity a
                    JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted
                    WHERE a.datname = current_database() AND a.application_name = 'parley-leases'
                    GROUP BY a.pid
                    """
                )
                let shares = try rows.map { try $0.decode("partitions", as: Int.self) }
                if shares.count == processes, shares.reduce(0, +) == partitions { return }
                guard ContinuousClock.now - begin < patience else {
                    throw APIFailure.unexpected(request: "taking over", answer: "\(processes) share: \(shares)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
