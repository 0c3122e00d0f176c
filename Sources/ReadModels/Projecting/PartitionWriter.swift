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
        PartitionWriter(
            partition: partition,
            schema: schema,
            position: try await Checkpoint.open(partition, in: schema, on: connection),
            parked: try await ParkedStreams.read(partition: partition, in: schema, on: connection)
        )
    }

    /// Writes the next events, in transactions of limited size; after an error, those before it may have been written.
    ///
    /// - Throws: `Checkpoint.Overtaken` where another worker has written past `position`; then open it anew.
    package mutating func write(_ events: [RecordedEvent], on connection: PostgresConnection) async throws {
        var batch: [ProjectedEvent] = []
        var weight = 0
        for event in try projected(events) {
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

    /// Reads the bodies of the next events, which must follow without a hole.
    private func projected(_ events: [RecordedEvent]) throws -> [ProjectedEvent] {
        var expected = position
        return try events.map { record in
            expected += 1
            guard record.partition == partition, record.position == expected else {
                throw ProjectionError.notContiguous(partition: partition, expected: expected, found: record.position)
            }
            return ProjectedEvent(record)
        }
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
        let batch = BatchPlan([part(events)], in: schema)
        let move = Checkpoint.Move(partition: partition, from: position, to: last)
        _ = try await connection.batch([Checkpoint.move([move], in: schema)] + batch.statements)
        advance(to: last, parking: batch.parking.first ?? [])
        ProjectionMetrics.note(events.count)
    }

    private func part(_ events: ArraySlice<ProjectedEvent>) -> BatchPlan.Part {
        BatchPlan.Part(partition: partition, events: events, parked: parked)
    }

    private mutating func advance(to newest: Int64, parking: [ParkedEvents]) {
        position = newest
        for parking in parking {
            parked.insert(parking.key)
            ProjectionMetrics.parked(parking.key.projection).increment(by: parking.count)
        }
    }

    // MARK: Several partitions

    /// The next events of the writer at a place of a list.
    package struct Turn {
        package let place: Int
        package let events: [RecordedEvent]

        package init(place: Int, events: [RecordedEvent]) {
            self.place = place
            self.events = events
        }
    }

    /// Writes the next events of several partitions in one transaction: where many partitions have a few events each, a
    /// transaction for each of them costs several times what its rows do.
    ///
    /// - Parameter writers: of one schema.
    /// - Returns: false where that is too much for one transaction, or the data of some event fails it: then nothing took
    ///   effect, and each partition is to be written by itself.
    /// - Throws: `Checkpoint.Overtaken` where another worker has written past one of the positions; then open them anew.
    package static func writeTogether(
        _ turns: [Turn],
        of writers: inout [PartitionWriter],
        on connection: PostgresConnection
    ) async throws -> Bool {
        var parts: [BatchPlan.Part] = []
        var moves: [Checkpoint.Move] = []
        var weight = 0
        for turn in turns {
            let writer = writers[turn.place]
            let events = try writer.projected(turn.events)
            guard let last = events.last?.record.position else { return false }
            weight += events.reduce(0) { $0 + $1.weight }
            parts.append(writer.part(events[...]))
            moves.append(Checkpoint.Move(partition: writer.partition, from: writer.position, to: last))
        }
        guard let schema = turns.first.map({ writers[$0.place].schema }), weight <= maximumWeight else { return false }
        let batch = BatchPlan(parts, in: schema)
        do {
            _ = try await connection.batch([Checkpoint.move(moves, in: schema)] + batch.statements)
        } catch  where Checkpoint.isOvertaken(error) {
            throw Checkpoint.Overtaken()
        } catch  where Poison.cause(of: error) != nil {
            return false
        }
        for (index, turn) in turns.enumerated() {
            writers[turn.place].advance(to: moves[index].to, parking: batch.parking[index])
        }
        ProjectionMetrics.note(parts.reduce(0) { $0 + $1.events.count })
        return true
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
        let plan = BatchPlan([part([event])], refusing: causes, in: schema)
        let move = Checkpoint.Move(partition: partition, from: position, to: event.record.position)
        do {
            _ = try await connection.batch([Checkpoint.move([move], in: schema)] + plan.statements)
        } catch  where Checkpoint.isOvertaken(error) {
            throw Checkpoint.Overtaken()
        }
        advance(to: event.record.position, parking: plan.parking.first ?? [])
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
