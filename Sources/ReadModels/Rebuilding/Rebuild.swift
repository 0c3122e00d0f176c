import EventSourcing
package import EventStore
import Foundation
package import Logging
package import Postgres

/// Builds all read models anew from the log, beside the live ones, and switches in one transaction.
///
/// They share one checkpoint per partition, so they are built together. Reading, sending and projecting go on meanwhile,
/// but for the moment of the switch. What an interrupted rebuild left behind is dropped by the next one, which begins anew.
package struct Rebuild: Sendable {
    /// Another rebuild, or a retry of what is parked, is at work on this database.
    package struct AlreadyRunning: Error, CustomStringConvertible {
        package var description: String { "another rebuild, or `parley parked`, is at work on this database" }
    }

    /// "rebuild" in ASCII. Whoever changes what is parked holds it shared, so that a rebuild knows what is skipped.
    static let lockKey: Int64 = 0x72_6562_7569_6c64
    /// How far behind the live read models they are followed one partition after the other.
    private static let followingLag: Int64 = 2_048

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

    /// - Parameters:
    ///   - verifying: whether the new tables are compared with the live ones, all rows of both at one position.
    ///   - progress: called after every batch.
    /// - Throws: ``AlreadyRunning``, `ProjectionError.newerEvent` where the log holds events of a newer program, or the
    ///   database's errors; then the live read models are as they were.
    package func run(
        verifying: Bool = false,
        progress: @escaping @Sendable (RebuildProgress) -> Void = { _ in }
    ) async throws -> RebuildReport {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        let result: Result<RebuildReport, any Error>
        do {
            result = .success(
                try await run(on: connection, verifying: verifying, meter: ProgressMeter(report: progress))
            )
        } catch {
            result = .failure(error)
        }
        // The end of the session frees the lock as well, but somewhat later than it is closed here.
        _ = try? await connection.query("SELECT pg_advisory_unlock(\(Self.lockKey))")
        await connection.close()
        return try result.get()
    }

    private func run(
        on connection: PostgresConnection,
        verifying: Bool,
        meter: ProgressMeter
    ) async throws -> RebuildReport {
        let rows = try await connection.query(
            "SELECT pg_try_advisory_lock(\(Self.lockKey)) AS is_alone, clock_timestamp() AS now"
        )
        guard let row = rows.first, try row.decode("is_alone", as: Bool.self) else { throw AlreadyRunning() }
        let begun = try row.decode("now", as: Date.self)
        do {
            // Compared are equal positions: the live tables' own, which only ever rise.
            let target = verifying ? try await livePositions(on: connection) : try await log.heads()
            // What is not needed for the tables is prepared while they are made.
            async let opening = openCrew()
            async let reading = FirstPages.read(log, upTo: target, workers: workers, begun: begun)
            let indexes = try await makeTables(on: connection)
            let (crew, pages) = (try await opening, try await reading)
            let result: Result<RebuildReport, any Error>
            do {
                let loader = RebuildLoader(log: log, connections: crew, pages: pages, meter: meter)
                var positions = try await load(upTo: target, indexes, by: loader, on: connection, meter: meter)
                try await follow(&positions, by: loader, on: connection)
                let tail = try await RebuildTail.open(log: log, on: crew[0], meter: meter)
                result = .success(try await finish(tail, verifying: verifying, on: connection, meter: meter))
            } catch {
                result = .failure(error)
            }
            for worker in crew { await worker.close() }
            return try result.get()
        } catch {
            // An hour's tables are not left lying about; where that fails too, the next rebuild drops them.
            try? await ReadSchemaMaker.drop(.next, on: connection)
            throw error
        }
    }

    /// The sessions that work side by side, at least one: they fill the tables, complete them, and the first follows the
    /// live ones.
    private func openCrew() async throws -> [PostgresConnection] {
        try await withThrowingTaskGroup(of: PostgresConnection.self) { [database, logger] group in
            for _ in 0..<max(1, workers) {
                group.addTask { try await PostgresConnection.connect(database, logger: logger) }
            }
            return try await group.reduce(into: [PostgresConnection]()) { $0.append($1) }
        }
    }

    private func finish(
        _ tail: consuming RebuildTail,
        verifying: Bool,
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> RebuildReport {
        var tail = tail
        var comparison: [TableComparison]?
        if verifying {
            meter.begin(.comparing)
            comparison = try await compare(&tail, on: connection)
            // What the log has beyond the live tables, where no projector is at work.
            meter.begin(.events)
            try await tail.advance(to: try await log.heads())
        }
        meter.begin(.switching)
        let pause = try await RebuildSwitch(logger: logger).run(&tail, on: connection)
        try await ReadSchemaMaker.drop(.old, on: connection)
        return RebuildReport(
            events: meter.progress.done,
            elapsed: meter.progress.elapsed,
            pause: pause,
            comparison: comparison
        )
    }

    private func livePositions(on connection: PostgresConnection) async throws -> [Int64] {
        try await Checkpoint.read(partitions: log.identity.partitions, in: .live, on: connection)
    }

    // MARK: Building

    /// Fills new tables, with the indexes of readers at the end: sorted at once, they cost a fraction of what they cost
    /// row by row.
    private func load(
        upTo target: [Int64],
        _ indexes: LateIndexes,
        by loader: RebuildLoader,
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> [Int64] {
        var positions = [Int64](repeating: 0, count: log.identity.partitions)
        try await loader.build(upTo: target, from: &positions)
        let completion = TableCompletion(connections: loader.connections)
        do {
            meter.begin(.indexes)
            try await completion.run(indexes, on: connection)
        } catch let error as PostgresError where error.sqlState.isClass("23") {
            // Some row is one of the kind that an index refuses: found where it is written, it parks its stream.
            logger.notice("the rebuild begins anew, with all indexes from the start", metadata: ["error": "\(error)"])
            positions = [Int64](repeating: 0, count: log.identity.partitions)
            meter.restart()
            try await makeAllTables(on: connection)
            try await loader.build(upTo: target, from: &positions)
            try await completion.run(.none, on: connection)
        }
        meter.begin(.events)
        return positions
    }

    /// - Returns: the indexes that are left for the end.
    private func makeTables(on connection: PostgresConnection) async throws -> LateIndexes {
        try await makeAllTables(on: connection)
        return try await LateIndexes.drop(in: .next, on: connection)
    }

    private func makeAllTables(on connection: PostgresConnection) async throws {
        try await ReadSchemaMaker(migrations: migrations).make(.next, on: connection)
        try await Checkpoint.begin(partitions: log.identity.partitions, in: .next, on: connection)
    }

    /// Comes close to the live read models, which have gone on.
    private func follow(
        _ positions: inout [Int64],
        by loader: RebuildLoader,
        on connection: PostgresConnection
    ) async throws {
        while true {
            let live = try await livePositions(on: connection)
            let lag = zip(live, positions).reduce(0) { $0 + max(0, $1.0 - $1.1) }
            guard lag > Self.followingLag else { return }
            try await loader.build(upTo: live, from: &positions)
        }
    }

    // MARK: Comparing

    /// The rows of both at the same positions, in a snapshot of the live ones; nobody waits for it.
    private func compare(
        _ tail: inout RebuildTail,
        on connection: PostgresConnection
    ) async throws -> [TableComparison] {
        try await connection.withTransaction(.repeatableRead, readOnly: true) { connection in
            try await connection.execute("LOCK TABLE read_live.checkpoints IN ACCESS SHARE MODE")
            let positions = try await livePositions(on: connection)
            let old = try await TableDigest.readAll(.live, on: connection)
            try await tail.advance(to: positions)
            let new = try await tail.digests()
            return zip(old, new).map(TableComparison.init)
        }
    }
}
