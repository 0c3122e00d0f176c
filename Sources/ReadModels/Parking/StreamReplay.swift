import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres

/// Makes all rows of a conversation or a person anew, for some projections, inside a transaction that holds the
/// partition's checkpoint.
struct StreamReplay {
    private static let pageEvents = 512

    let id: UUID
    let partition: Int
    /// The checkpoint: what comes later is for the projector.
    let last: Int64
    let projections: [any Projection.Type]
    let log: LogReader
    private var parked = ParkedStreams()

    init(id: UUID, partition: Int, upTo last: Int64, projections: [any Projection.Type], log: LogReader) {
        self.id = id
        self.partition = partition
        self.last = last
        self.projections = projections
        self.log = log
    }

    /// - Parameter old: what was parked of it before.
    func run(replacing old: [ParkedStream], on connection: PostgresConnection) async throws {
        var replay = self
        try await replay.perform(replacing: old, on: connection)
    }

    private mutating func perform(replacing old: [ParkedStream], on connection: PostgresConnection) async throws {
        try await clear(on: connection)
        parked = try await ParkedStreams.read(partition: partition, in: .live, on: connection)
        var position: Int64 = 0
        while position < last {
            let events = try await log.tail(
                of: id,
                categories: Array(Set(projections.flatMap { $0.categories })),
                after: position,
                upTo: last,
                limit: Self.pageEvents
            )
            guard let newest = events.last?.position else { break }
            try await write(events, on: connection)
            position = newest
        }
        try await countAttempts(since: old, on: connection)
    }

    private func clear(on connection: PostgresConnection) async throws {
        for table in projections.flatMap({ $0.tables }) {
            // By the whole table, where no index begins with the conversation: a rare and safe way to miss nothing.
            try await connection.execute(
                "DELETE FROM \(table.name(in: .live)) t WHERE t.\(identifier: table.streamColumn) = \(id)"
            )
        }
        try await connection.execute(
            """
            DELETE FROM read_live.parked k
            WHERE k.partition = \(Int32(clamping: partition)) AND k.stream_id = \(id)
                AND k.projection = ANY (\(projections.map { $0.name }))
            """
        )
    }

    private mutating func write(_ records: [RecordedEvent], on connection: PostgresConnection) async throws {
        var batch: [ProjectedEvent] = []
        var weight = 0
        for record in records {
            guard let event = ProjectedEvent(record) else {
                guard let newer = record.unknown else { continue }
                throw ProjectionError.newerEvent(partition: partition, position: record.position, newer)
            }
            if !batch.isEmpty, weight + event.weight > PartitionWriter.maximumWeight {
                try await write(batch[...], on: connection)
                batch.removeAll(keepingCapacity: true)
                weight = 0
            }
            batch.append(event)
            weight += event.weight
        }
        try await write(batch[...], on: connection)
    }

    /// Writes events; those that fail by their own data, alone, park their streams anew.
    private mutating func write(_ events: ArraySlice<ProjectedEvent>, on connection: PostgresConnection) async throws {
        guard let first = events.first else { return }
        let cause = try await attempt(events, of: projections, on: connection)
        guard cause != nil else { return }
        guard events.count == 1 else {
            let middle = events.startIndex + events.count / 2
            try await write(events[..<middle], on: connection)
            return try await write(events[middle...], on: connection)
        }
        // Only some projections may have failed.
        for projection in projections where projection.categories.contains(first.record.stream.category) {
            guard let cause = try await attempt(events, of: [projection], on: connection) else { continue }
            let refused = plan(events, of: [projection], refusing: [projection.name: cause])
            _ = try await connection.batch(refused.statements)
            note(refused)
        }
    }

    private func plan(
        _ events: ArraySlice<ProjectedEvent>,
        of projections: [any Projection.Type],
        refusing causes: [String: String] = [:]
    ) -> BatchPlan {
        BatchPlan(
            [BatchPlan.Part(partition: partition, events: events, parked: parked)],
            of: projections,
            refusing: causes,
            in: .live
        )
    }

    /// - Returns: what they fail with by their own data; then nothing took effect.
    private mutating func attempt(
        _ events: ArraySlice<ProjectedEvent>,
        of projections: [any Projection.Type],
        on connection: PostgresConnection
    ) async throws -> String? {
        if projections.contains(where: { $0 == MessagesProjection.self }) {
            for erasure in events.compactMap(TextErasure.init) {
                try await erasure.carryOut(in: .live, on: connection)
            }
        }
        let plan = plan(events, of: projections)
        try await connection.execute("SAVEPOINT attempt")
        do {
            _ = try await connection.batch(plan.statements)
            try await connection.execute("RELEASE SAVEPOINT attempt")
            note(plan)
            return nil
        } catch {
            guard let cause = Poison.cause(of: error), !connection.isClosed else { throw error }
            try await connection.execute("ROLLBACK TO SAVEPOINT attempt")
            return cause
        }
    }

    private mutating func note(_ plan: BatchPlan) {
        for parking in plan.parking.joined() { parked.insert(parking.key) }
    }

    /// What is parked once more has been tried once more.
    private func countAttempts(since old: [ParkedStream], on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE read_live.parked k SET attempts = x.attempts + 1
            FROM unnest(
                \(old.map(\.projection)), \(old.map(\.stream.category.rawValue)), \(old.map { Int32(clamping: $0.attempts) })
            ) AS x (projection, category, attempts)
            WHERE k.partition = \(Int32(clamping: partition)) AND k.stream_id = \(id) AND k.category = x.category
                AND k.projection = x.projection AND k.projection = ANY (\(projections.map { $0.name }))
            """
        )
    }
}
