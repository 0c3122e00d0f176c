import EventSourcing
import Postgres

/// Events that fail by their own data.
extension PartitionWriter {
    /// Halves the batch until the event that cannot be written stands alone, and parks its stream.
    mutating func isolate(
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
        for projection in Projections.all where isFollowing(projection, event.record) {
            causes[projection.name] = try await rehearse(event, in: projection, on: connection)
        }
        if causes.isEmpty {
            // Only all together fail: none of them may go on.
            for projection in Projections.all where isFollowing(projection, event.record) {
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

    private func isFollowing(_ projection: any Projection.Type, _ record: RecordedEvent) -> Bool {
        projection.categories.contains(record.stream.category) && !parked.contains(projection.name, record.stream)
            && !parked.skips(projection.name, record.position)
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
