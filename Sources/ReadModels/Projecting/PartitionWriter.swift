import CoreMetrics
package import EventSourcing
import Foundation
package import Postgres

/// Writes the events of one partition, in order, into the read models of a schema: each exactly once.
package struct PartitionWriter {
    /// A batch is cut where it would write more rows than about this.
    static let maximumWeight = 4_096

    let partition: Int
    let schema: ReadSchema
    /// The newest event that is written.
    package private(set) var position: Int64
    private var parked: ParkedStreams

    private init(partition: Int, schema: ReadSchema, position: Int64, parked: ParkedStreams) {
        self.partition = partition
        self.schema = schema
        self.position = position
        self.parked = parked
    }

    /// Takes up the work where the tables say that it stands.
    package static func open(
        partition: Int,
        in schema: ReadSchema,
        on connection: PostgresConnection
    ) async throws -> PartitionWriter {
        let rows = try await connection.query(
            """
            SELECT position FROM \(identifier: schema.name).checkpoints
            WHERE partition = \(Int32(clamping: partition))
            """
        )
        return PartitionWriter(
            partition: partition,
            schema: schema,
            position: try rows.first?.decode("position") ?? 0,
            parked: try await ParkedStreams.read(partition: partition, in: schema, on: connection)
        )
    }

    /// Writes the next events, in transactions of limited size; after an error, those before it may have been written.
    ///
    /// - Throws: `Checkpoint.Overtaken` where another worker has written past `position`; then open it anew.
    package mutating func write(_ events: [RecordedEvent], on connection: PostgresConnection) async throws {
        var batch: [ProjectedEvent] = []
        var weight = 0
        var expected = position
        for record in events {
            expected += 1
            guard record.partition == partition, record.position == expected else {
                throw ProjectionError.notContiguous(partition: partition, expected: expected, found: record.position)
            }
            let event = ProjectedEvent(record)
            if !batch.isEmpty, weight + event.weight > Self.maximumWeight {
                try await write(batch[...], on: connection)
                batch.removeAll(keepingCapacity: true)
                weight = 0
            }
            batch.append(event)
            weight += event.weight
        }
        try await write(batch[...], on: connection)
    }

    private mutating func write(_ events: ArraySlice<ProjectedEvent>, on connection: PostgresConnection) async throws {
        guard !events.isEmpty else { return }
        do {
            try await commit(events, on: connection)
        } catch  where Checkpoint.isOvertaken(error) {
            throw Checkpoint.Overtaken()
        } catch {
            guard let cause = Poison.cause(of: error) else { throw error }
            try await isolate(events, cause: cause, on: connection)
        }
    }

    private mutating func commit(_ events: ArraySlice<ProjectedEvent>, on connection: PostgresConnection) async throws {
        guard let last = events.last?.record.position else { return }
        let batch = BatchPlan(events, partition: partition, parked: parked, in: schema)
        let move = Checkpoint.move(partition: partition, from: position, to: last, in: schema)
        _ = try await connection.batch([move] + batch.statements)
        position = last
        for parking in batch.parking {
            parked.insert(parking.key)
            ProjectionMetrics.parked(parking.key.projection).increment(by: parking.count)
        }
        ProjectionMetrics.batchSize.record(events.count)
        ProjectionMetrics.events.increment(by: events.count)
    }

    // MARK: Poison

    /// Halves the batch until the event that cannot be written stands alone, and parks its stream.
    private mutating func isolate(
        _ events: ArraySlice<ProjectedEvent>,
        cause: String,
        on connection: PostgresConnection
    ) async throws {
        guard let first = events.first else { return }
        guard events.count > 1 else { return try await park(first, cause: cause, on: connection) }
        let middle = events.startIndex + events.count / 2
        try await write(events[..<middle], on: connection)
        try await write(events[middle...], on: connection)
    }

    private mutating func park(
        _ event: ProjectedEvent,
        cause: String,
        on connection: PostgresConnection
    ) async throws {
        var causes: [String: String] = [:]
        for projection in Projections.all where isFollowing(projection, event.record.stream) {
            causes[projection.name] = try await rehearse(event, in: projection, on: connection)
        }
        if causes.isEmpty {
            // Only all together fail: none of them may go on.
            for projection in Projections.all where isFollowing(projection, event.record.stream) {
                causes[projection.name] = cause
            }
        }
        let plan = BatchPlan(
            [event],
            partition: partition,
            parked: parked,
            refusing: causes,
            in: schema
        )
        let move = Checkpoint.move(partition: partition, from: position, to: event.record.position, in: schema)
        do {
            _ = try await connection.batch([move] + plan.statements)
        } catch  where Checkpoint.isOvertaken(error) {
            throw Checkpoint.Overtaken()
        }
        position = event.record.position
        for parking in plan.parking {
            parked.insert(parking.key)
            ProjectionMetrics.parked(parking.key.projection).increment(by: parking.count)
        }
    }

    private func isFollowing(_ projection: any Projection.Type, _ stream: StreamID) -> Bool {
        projection.categories.contains(stream.category) && !parked.contains(projection.name, stream)
    }

    private struct Rehearsed: Error {}

    /// Tries one event in one projection, without effect: what it fails with, if that is the event's own fault.
    private func rehearse(
        _ event: ProjectedEvent,
        in type: any Projection.Type,
        on connection: PostgresConnection
    ) async throws -> String? {
        var projection = type.init()
        projection.fold(event)
        do {
            return try await connection.withTransaction { connection -> String? in
                _ = try await connection.batch(projection.statements(in: schema))
                throw Rehearsed()
            }
        } catch is Rehearsed {
            return nil
        } catch {
            guard let cause = Poison.cause(of: error) else { throw error }
            return cause
        }
    }
}
