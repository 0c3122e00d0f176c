import CoreMetrics
package import EventSourcing
package import Foundation
package import Postgres

/// Writes the events of one partition, in order, into the read models of a schema: each exactly once.
package struct PartitionWriter {
    /// A batch is cut where it would write more rows than about this.
    static let maximumWeight = 4_096

    let partition: Int
    let schema: ReadSchema
    /// The newest event that is written.
    package private(set) var position: Int64
    var parked: ParkedStreams
    /// When the tables were known to hold nothing of the partition, and no event of it was read, where this writer has
    /// begun it.
    let emptyAt: Date?
    /// Whether rows are written by COPY where they can be, in three round trips for one: for full batches.
    let isCopying: Bool
    let lag: Gauge

    /// Takes up the work where the tables say that it stands.
    ///
    /// - Parameter start: when none of the events that it will write was read yet, by the database's clock; where nil,
    ///   that is so now.
    /// - Parameter isCopying: whether rows may be written by COPY, which is for full batches.
    package static func open(
        partition: Int,
        in schema: ReadSchema,
        readingSince start: Date? = nil,
        copying isCopying: Bool = false,
        on connection: PostgresConnection
    ) async throws -> PartitionWriter {
        let position = try await Checkpoint.open(partition, in: schema, on: connection)
        var emptyAt = position > 0 ? nil : start
        if position == 0, start == nil {
            emptyAt = try await connection.query("SELECT clock_timestamp() AS now").first?.decode("now", as: Date.self)
        }
        return PartitionWriter(
            partition: partition,
            schema: schema,
            position: position,
            parked: try await ParkedStreams.read(partition: partition, in: schema, on: connection),
            emptyAt: emptyAt,
            isCopying: isCopying,
            lag: ProjectionMetrics.lag(partition)
        )
    }

    /// Takes up the work on every partition of tables that have all of them, in as many round trips as on one.
    static func openAll(
        partitions: Int,
        in schema: ReadSchema,
        on connection: PostgresConnection
    ) async throws -> [PartitionWriter] {
        let positions = try await Checkpoint.read(partitions: partitions, in: schema, on: connection)
        let parked = try await ParkedStreams.read(partitions: positions.indices, in: schema, on: connection)
        return positions.enumerated().map { partition, position in
            PartitionWriter(
                partition: partition,
                schema: schema,
                position: position,
                parked: parked[partition] ?? ParkedStreams(),
                emptyAt: nil,
                isCopying: false,
                lag: ProjectionMetrics.lag(partition)
            )
        }
    }

    /// Writes the next events, in transactions of limited size; after an error, those before it may have been written.
    ///
    /// - Throws: `Checkpoint.Overtaken` where another worker has written past `position`; then open it anew.
    ///   `ProjectionError.newerEvent` in front of an event of a newer program, when all before it is written.
    package mutating func write(_ events: [RecordedEvent], on connection: PostgresConnection) async throws {
        var batch: [ProjectedEvent] = []
        var weight = 0
        let (known, stop) = try projected(events)
        for event in known {
            if !batch.isEmpty, weight + event.weight > maximumWeight {
                try await write(batch[...], on: connection)
                batch.removeAll(keepingCapacity: true)
                weight = 0
            }
            batch.append(event)
            weight += event.weight
        }
        try await write(batch[...], on: connection)
        if let stop { throw stop }
    }

    /// Nobody waits for what a rebuild locks, so it writes more with each statement.
    private var maximumWeight: Int {
        schema == .next ? 2 * Self.maximumWeight : Self.maximumWeight
    }

    /// Reads the bodies of the next events, which must follow without a hole, up to what keeps everybody from going on.
    func projected(_ events: [RecordedEvent]) throws -> (known: [ProjectedEvent], stop: ProjectionError?) {
        var expected = position
        var known: [ProjectedEvent] = []
        known.reserveCapacity(events.count)
        for record in events {
            expected += 1
            guard record.partition == partition, record.position == expected else {
                throw ProjectionError.notContiguous(partition: partition, expected: expected, found: record.position)
            }
            if let event = record.unknown {
                return (known, .newerEvent(partition: partition, position: record.position, event))
            }
            if let event = ProjectedEvent(record) { known.append(event) }
        }
        return (known, nil)
    }

    mutating func write(_ events: ArraySlice<ProjectedEvent>, on connection: PostgresConnection) async throws {
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
        try await clearTexts(erasedBy: events, on: connection)
        let batch = BatchPlan([part(events)], in: schema, copying: isCopying)
        let move = Checkpoint.move([Checkpoint.Move(partition: partition, from: position, to: last)], in: schema)
        if batch.copies.isEmpty {
            _ = try await connection.batch([move] + batch.statements)
        } else {
            _ = try await connection.withTransaction(beginningWith: [move]) { connection, _ in
                for rows in batch.copies { try await connection.copy(rows) }
                return (batch.statements, ())
            }
        }
        advance(to: last, parking: batch.parking.first ?? [])
        ProjectionMetrics.note(events.count)
    }

    func part(_ events: ArraySlice<ProjectedEvent>) -> BatchPlan.Part {
        BatchPlan.Part(partition: partition, events: events, parked: parked)
    }

    mutating func advance(to newest: Int64, parking: [ParkedEvents]) {
        position = newest
        for parking in parking {
            parked.insert(parking.key)
            ProjectionMetrics.parked(parking.key.projection).increment(by: parking.count)
        }
    }

    // MARK: Erasures

    /// Takes texts away in transactions of their own, before the checkpoint passes the word that they are erased: a
    /// history may be long. What is cut short is done again with the events.
    func clearTexts(erasedBy events: some Sequence<ProjectedEvent>, on connection: PostgresConnection) async throws {
        for erasure in events.compactMap(TextErasure.init) {
            let isNeedless = try await isTextless(erasure.person, on: connection)
            if !isNeedless { try await erasure.carryOut(in: schema, on: connection) }
        }
    }

    /// Whether everything that a person said came without its text already: the key was gone before the first event was
    /// read. A rebuild need not pass whole histories again for each of those who were erased long ago.
    private func isTextless(_ person: UUID, on connection: PostgresConnection) async throws -> Bool {
        guard let emptyAt else { return false }
        return try await !connection.query(
            "SELECT FROM parley.erasures x WHERE x.person_id = \(person) AND x.erased_at < \(emptyAt)"
        ).isEmpty
    }
}

// MARK: Several partitions in one transaction

extension PartitionWriter {
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
            let (events, stop) = try writer.projected(turn.events)
            if let stop { throw stop }
            guard let last = events.last?.record.position else { return false }
            weight += events.reduce(0) { $0 + $1.weight }
            parts.append(writer.part(events[...]))
            moves.append(Checkpoint.Move(partition: writer.partition, from: writer.position, to: last))
        }
        guard let schema = turns.first.map({ writers[$0.place].schema }), weight <= maximumWeight else { return false }
        for (turn, part) in zip(turns, parts) {
            try await writers[turn.place].clearTexts(erasedBy: part.events, on: connection)
        }
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
}
