import EventSourcing
import Logging
import Postgres

/// Makes the new tables the live ones, in a moment when nobody is in the middle of a snapshot.
///
/// Whoever projects begins with a change of `checkpoints`, and whoever reads a snapshot with a lock of it. So the switch
/// needs that table for itself, for as long as it takes to project what the live tables are ahead and to rename two schemas:
/// milliseconds, however large the tables are. It waits for it only briefly, since everybody who comes later waits behind
/// it, and tries again: a backup holds the table for an hour, and nobody is to notice.
struct RebuildSwitch {
    /// The longest that others wait behind an attempt.
    private static let longestWait = Duration.milliseconds(100)
    private static let pause = Duration.milliseconds(250)
    /// The most events that are projected while others wait.
    private static let mostEvents: Int64 = 256

    /// The live tables have moved too far ahead meanwhile.
    private struct IsBehind: Error {}

    let logger: Logger

    /// - Returns: for how long projecting and snapshots stood still.
    func run(_ tail: inout RebuildTail, on connection: PostgresConnection) async throws -> Duration {
        for attempt in 1... {
            try await tail.advance(to: try await live(tail, on: connection))
            do {
                return try await trySwitch(&tail, attempt, on: connection)
            } catch is IsBehind {
                continue
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                // Rarer and rarer: at once, after a second, after minutes.
                if attempt & (attempt - 1) == 0 { logger.info("the switch waits for whoever reads a snapshot") }
                // Those who had to wait behind the attempt go first.
                try await Task.sleep(for: Self.pause)
            }
        }
        preconditionFailure("attempts do not end but by success or an error")
    }

    private func live(_ tail: RebuildTail, on connection: PostgresConnection) async throws -> [Int64] {
        try await Checkpoint.read(partitions: tail.partitions, in: .live, on: connection)
    }

    private func trySwitch(
        _ tail: inout RebuildTail,
        _ attempt: Int,
        on connection: PostgresConnection
    ) async throws -> Duration {
        let wait = min(Self.longestWait, .milliseconds(20) * attempt)
        let began = try await connection.withTransaction { connection in
            try await connection.execute("SELECT set_config('lock_timeout', \("\(wait / .milliseconds(1))"), true)")
            // What commits here must not be lost, and neither must what it stands on.
            try await connection.execute("SET LOCAL synchronous_commit = on")
            try await connection.execute("LOCK TABLE read_live.checkpoints IN ACCESS EXCLUSIVE MODE")
            let began = ContinuousClock.now
            let live = try await live(tail, on: connection)
            guard tail.lag(behind: live) <= Self.mostEvents else { throw IsBehind() }
            try await tail.advance(to: live)
            try await countAttempts(on: connection)
            try await connection.execute("ALTER SCHEMA read_live RENAME TO read_old")
            try await connection.execute("ALTER SCHEMA read_next RENAME TO read_live")
            return began
        }
        return began.duration(to: .now)
    }

    /// What is parked still has been tried once more.
    private func countAttempts(on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE read_next.parked n SET attempts = o.attempts + 1
            FROM read_live.parked o
            WHERE (o.partition, o.stream_id, o.category, o.projection)
                = (n.partition, n.stream_id, n.category, n.projection)
            """
        )
    }
}
