import EventSourcing
package import EventStore
package import Foundation
package import Logging
package import Postgres

/// Ends parkings: brings back into read models what they left out of a stream.
///
/// A conversation's rows depend on the order of all its events, in both of its streams, and on each other: what was left
/// out cannot be added behind what came since. So all rows that the projection has of the conversation are made anew from
/// its whole history, as a rebuild would make them, in one transaction that begins with the partition's checkpoint:
/// nobody projects that partition meanwhile, and nobody sees half of it. Projections that are parked there still, and were
/// not asked for, stay as they are.
package struct Unparking: Sendable {
    /// A rebuild is at work on this database, and reads what is to be skipped only once.
    package struct RebuildRunning: Error, CustomStringConvertible {
        package var description: String { "a rebuild is at work on this database: try again when it is over" }
    }

    /// An operator's word that read models are to go on without an event.
    package struct Skip: Sendable {
        let reason: String
        let by: String

        package init(reason: String, by: String) {
            self.reason = reason
            self.by = by
        }
    }

    private static let attempts = 20

    private let log: LogReader
    private let database: PostgresConfiguration
    private let logger: Logger

    /// - Parameter database: connections with the rights of `parley_server`.
    package init(log: LogReader, database: PostgresConfiguration, logger: Logger) {
        self.log = log
        self.database = database.projecting
        self.logger = logger
    }

    package struct Report: Sendable, Equatable {
        /// The parkings that were tried.
        package var tried: [ParkedStream] = []
        /// What is parked of the same conversations and people now, where anything is.
        package var left: [ParkedStream] = []
    }

    /// Tries again what was left out.
    ///
    /// - Parameters:
    ///   - id: the conversation or person; nil for all.
    ///   - projection: the read model; nil for all.
    ///   - skip: leaves the events, at which the streams are parked, out for good.
    package func run(_ id: UUID?, projection: String?, skip: Skip? = nil) async throws -> Report {
        let connection = try await PostgresConnection.connect(database, logger: logger)
        let result: Result<Report, any Error>
        do {
            result = .success(try await run(id, projection: projection, skip: skip, on: connection))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    private func run(
        _ id: UUID?,
        projection: String?,
        skip: Skip?,
        on connection: PostgresConnection
    ) async throws -> Report {
        try await connection.execute("SET statement_timeout = 0")
        let rows = try await connection.query("SELECT pg_try_advisory_lock_shared(\(Rebuild.lockKey))")
        guard try rows.first?.decode(0, as: Bool.self) == true else { throw RebuildRunning() }
        let isSelected = { (parked: ParkedStream) in
            (id == nil || parked.stream.id == id) && (projection == nil || parked.projection == projection)
        }
        var report = Report()
        var ids: [UUID] = []
        for parked in try await ParkedStream.read(on: connection) where isSelected(parked) {
            report.tried.append(parked)
            if !ids.contains(parked.stream.id) { ids.append(parked.stream.id) }
        }
        for id in ids { try await retry(id, isSelected, skip, on: connection) }
        report.left = try await ParkedStream.read(on: connection).filter { ids.contains($0.stream.id) }
        return report
    }

    private func retry(
        _ id: UUID,
        _ isSelected: (ParkedStream) -> Bool,
        _ skip: Skip?,
        on connection: PostgresConnection
    ) async throws {
        for _ in 1..<Self.attempts {
            do {
                return try await tryOnce(id, isSelected, skip, on: connection)
            } catch  where Checkpoint.isOvertaken(error) {
                // A projector was faster with the checkpoint.
            }
        }
        try await tryOnce(id, isSelected, skip, on: connection)
    }

    private func tryOnce(
        _ id: UUID,
        _ isSelected: (ParkedStream) -> Bool,
        _ skip: Skip?,
        on connection: PostgresConnection
    ) async throws {
        let partition = log.identity.partition(of: id)
        try await connection.withTransaction { connection in
            // Unlike the projector's, what an operator was told must outlast a crash.
            try await connection.execute("SET LOCAL synchronous_commit = on")
            let position = try await hold(partition, on: connection)
            let parked = try await ParkedStream.lock(id, on: connection)
            let selected = parked.filter(isSelected)
            if let skip { try await note(skip, of: selected, on: connection) }
            let kept = Set(parked.filter { !isSelected($0) }.map(\.projection))
            let selectedNames = Set(selected.map(\.projection)).subtracting(kept)
            guard !selectedNames.isEmpty else { return }
            // With the one that reads another one's table, whatever it has made of it.
            let all = Projections.all.filter { projection in
                !kept.contains(projection.name)
                    && (selectedNames.contains(projection.name)
                        || !selectedNames.isDisjoint(with: projection.reads))
            }
            try await StreamReplay(id: id, partition: partition, upTo: position, projections: all, log: log)
                .run(replacing: parked, on: connection)
        }
    }

    /// Takes the partition's checkpoint out and puts it in anew, so that every projector waits, and then reads again what
    /// is parked.
    private func hold(_ partition: Int, on connection: PostgresConnection) async throws -> Int64 {
        let number = Int32(clamping: partition)
        let row = try await connection.query(NewestVersion.ofCheckpoint("\(number)", in: .live)).first
        let position: Int64 = try row?.decode("position") ?? 0
        let move = Checkpoint.Move(partition: partition, from: position, to: position)
        try await connection.execute(Checkpoint.move([move], in: .live))
        return position
    }

    private func note(_ skip: Skip, of parked: [ParkedStream], on connection: PostgresConnection) async throws {
        for parked in parked {
            try await connection.execute(
                """
                INSERT INTO parley.skipped_events (
                    partition, position, projection, category, stream_id, error, reason, skipped_by)
                VALUES (
                    \(Int32(clamping: parked.partition)), \(parked.position), \(parked.projection),
                    \(parked.stream.category.rawValue), \(parked.stream.id), \(parked.error), \(skip.reason),
                    \(skip.by))
                ON CONFLICT (partition, position, projection) DO NOTHING
                """
            )
        }
    }
}
