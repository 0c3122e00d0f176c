package import EventSourcing
package import Postgres

/// Several partitions in one transaction.
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
