import EventSourcing
package import EventStore
package import Logging
package import Postgres
import Synchronization

/// Builds all read models anew from the log, beside the live ones, and switches in one transaction.
///
/// They share one checkpoint per partition, so they are built together. Reading and sending go on meanwhile; projecting
/// pauses for the switch. What an interrupted rebuild left behind is dropped by the next one, which begins anew.
package struct Rebuild: Sendable {
    /// Another rebuild is at work on this database.
    package struct AlreadyRunning: Error, CustomStringConvertible {
        package var description: String { "another rebuild is at work on this database" }
    }

    private static let batchEvents = 2_048
    /// "rebuild" in ASCII.
    private static let lockKey: Int64 = 0x72_6562_7569_6c64
    /// How far behind the live read models the switch may begin; the rest is done while they pause.
    private static let switchLag: Int64 = 2_048
    private static let switchAttempts = 60
    private static let switchPause = Duration.seconds(1)

    private let log: LogReader
    private let database: PostgresConfiguration
    private let migrations: [MigrationFile]
    private let workers: Int
    private let logger: Logger

    /// - Parameters:
    ///   - database: connections with the rights of `parley_owner`, which owns the read models.
    ///   - migrations: the files that make the tables of the read models.
    package init(
        log: LogReader,
        database: PostgresConfiguration,
        migrations: [MigrationFile],
        workers: Int = 2,
        logger: Logger
    ) {
        self.log = log
        self.database = database.projecting
        self.migrations = migrations
        self.workers = workers
        self.logger = logger
    }

    /// - Parameter progress: called after every batch.
    /// - Throws: ``AlreadyRunning``, or the database's errors; then the live read models are as they were.
    package func run(
        progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
    ) async throws -> RebuildReport {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        do {
            let report = try await run(on: connection, meter: ProgressMeter(report: progress))
            // The end of the session frees the lock as well, but somewhat later than it is closed here.
            _ = try await connection.query("SELECT pg_advisory_unlock(\(Self.lockKey))")
            await connection.close()
            return report
        } catch {
            // The end of the session frees its lock.
            await connection.close()
            throw error
        }
    }

    private func run(on connection: PostgresConnection, meter: ProgressMeter) async throws -> RebuildReport {
        let rows = try await connection.query("SELECT pg_try_advisory_lock(\(Self.lockKey))")
        guard try rows.first?.decode(0, as: Bool.self) == true else { throw AlreadyRunning() }
        try await ReadSchemaMaker(migrations: migrations).make(.next, on: connection)

        var positions = [Int64](repeating: 0, count: log.identity.partitions)
        try await build(upTo: try await log.heads(), from: &positions, meter: meter)
        try await analyze(on: connection)
        var live = try await livePositions(on: connection)
        while zip(live, positions).reduce(0, { $0 + max(0, $1.0 - $1.1) }) > Self.switchLag {
            try await build(upTo: live, from: &positions, meter: meter)
            live = try await livePositions(on: connection)
        }
        let comparison = try await switchTables(&positions, on: connection, meter: meter)
        try await ReadSchemaMaker.drop(.old, on: connection)
        return RebuildReport(events: meter.progress.done, elapsed: meter.progress.elapsed, tables: comparison)
    }

    private func livePositions(on connection: PostgresConnection) async throws -> [Int64] {
        try await Checkpoint.read(partitions: log.identity.partitions, in: .live, on: connection)
    }

    /// New tables have no statistics, and queries plan badly without.
    private func analyze(on connection: PostgresConnection) async throws {
        try await connection.execute("SET statement_timeout = 0")
        for table in ReadTable.allCases {
            try await connection.execute("ANALYZE \(table.name(in: .next))")
        }
    }

    // MARK: Building

    /// Projects every partition up to a position, several at once.
    private func build(upTo targets: [Int64], from positions: inout [Int64], meter: ProgressMeter) async throws {
        meter.aim(at: zip(targets, positions).reduce(0) { $0 + max($1.0, $1.1) })
        let todo = PartitionQueue(zip(targets, positions).enumerated().filter { $1.0 > $1.1 }.map(\.offset))
        let reached = try await withThrowingTaskGroup(of: [Int: Int64].self) { group in
            for _ in 0..<max(1, min(workers, todo.count)) {
                group.addTask { try await self.work(todo, upTo: targets, meter: meter) }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        for (partition, position) in reached { positions[partition] = position }
    }

    private func work(_ todo: PartitionQueue, upTo targets: [Int64], meter: ProgressMeter) async throws -> [Int: Int64]
    {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        do {
            var reached: [Int: Int64] = [:]
            while let partition = todo.next() {
                reached[partition] = try await build(partition, upTo: targets[partition], on: connection, meter: meter)
            }
            await connection.close()
            return reached
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Reads the next events while it writes these.
    private func build(
        _ partition: Int,
        upTo target: Int64,
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> Int64 {
        var writer = try await PartitionWriter.open(partition: partition, in: .next, on: connection)
        var events = try await read(partition, after: writer.position, upTo: target)
        while let last = events.last {
            async let next = read(partition, after: last.position, upTo: target)
            try await writer.write(events, on: connection)
            meter.add(Int64(events.count))
            events = try await next
        }
        return writer.position
    }

    private func read(_ partition: Int, after position: Int64, upTo target: Int64) async throws -> [RecordedEvent] {
        let limit = min(Int64(Self.batchEvents), target - position)
        guard limit > 0 else { return [] }
        return try await log.events(partition: partition, after: position, limit: Int(limit))
    }

    // MARK: Switching

    /// Makes the new tables the live ones, as soon as nobody is in the middle of a snapshot.
    private func switchTables(
        _ positions: inout [Int64],
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> [TableComparison] {
        for _ in 1..<Self.switchAttempts {
            do {
                return try await trySwitch(&positions, on: connection, meter: meter)
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                logger.info("the switch waits for a long snapshot")
                // The others, who had to wait behind the switch, go first.
                try await Task.sleep(for: Self.switchPause)
            }
        }
        return try await trySwitch(&positions, on: connection, meter: meter)
    }

    /// First the projectors wait, since each of their transactions begins with an update of `checkpoints`; then, when the
    /// new tables hold all that the live ones hold, the readers of snapshots do for a moment, each of which begins with a
    /// lock of it.
    private func trySwitch(
        _ positions: inout [Int64],
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> [TableComparison] {
        try await connection.withTransaction { connection in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await connection.execute("SET LOCAL lock_timeout = '2s'")
            // What commits here must not be lost, and neither must what it stands on.
            try await connection.execute("SET LOCAL synchronous_commit = on")
            try await connection.execute("LOCK TABLE read_live.checkpoints IN EXCLUSIVE MODE")
            let live = try await livePositions(on: connection)
            try await build(upTo: live, from: &positions, meter: meter)
            // Unlike projecting, comparing reads whole tables, by several of PostgreSQL's processes where it has them.
            try await connection.execute("SET LOCAL enable_seqscan = on")
            let comparison = try await TableComparison.compare(
                .live,
                .next,
                comparable: live == positions,
                on: connection
            )
            try await connection.execute("LOCK TABLE read_live.checkpoints IN ACCESS EXCLUSIVE MODE")
            try await connection.execute("ALTER SCHEMA read_live RENAME TO read_old")
            try await connection.execute("ALTER SCHEMA read_next RENAME TO read_live")
            return comparison
        }
    }
}

/// The partitions that are still to be built.
private final class PartitionQueue: Sendable {
    private let partitions: Mutex<[Int]>
    let count: Int

    init(_ partitions: [Int]) {
        count = partitions.count
        self.partitions = Mutex(partitions.reversed())
    }

    func next() -> Int? {
        partitions.withLock { $0.popLast() }
    }
}
