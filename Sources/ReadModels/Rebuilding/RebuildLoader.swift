import EventSourcing
import EventStore
import Postgres

/// Projects the log into new tables, several partitions at once.
struct RebuildLoader: Sendable {
    static let batchEvents = 4_096

    let log: LogReader
    /// Each works on one partition at a time.
    let connections: [PostgresConnection]
    let pages: FirstPages
    let meter: ProgressMeter

    /// Projects every partition up to a position.
    func build(upTo targets: [Int64], from positions: inout [Int64]) async throws {
        meter.aim(at: zip(targets, positions).reduce(0) { $0 + max($1.0, $1.1) })
        let todo = PartitionQueue(PartitionQueue.longestFirst(upTo: targets, from: positions))
        let reached = try await withThrowingTaskGroup(of: [Int: Int64].self) { group in
            for connection in connections.prefix(todo.count) {
                group.addTask { try await self.work(todo, upTo: targets, on: connection) }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        }
        for (partition, position) in reached { positions[partition] = position }
    }

    private func work(
        _ todo: PartitionQueue,
        upTo targets: [Int64],
        on connection: PostgresConnection
    ) async throws -> [Int: Int64] {
        var reached: [Int: Int64] = [:]
        while let partition = todo.next() {
            reached[partition] = try await build(partition, upTo: targets[partition], on: connection)
        }
        return reached
    }

    /// Reads the next events while it writes these.
    private func build(_ partition: Int, upTo target: Int64, on connection: PostgresConnection) async throws -> Int64 {
        var writer = try await PartitionWriter.open(
            partition: partition,
            in: .next,
            readingSince: pages.begun,
            copying: true,
            on: connection
        )
        var pages = (writer.position == 0 ? pages.events[partition] ?? [] : [])[...]
        var events = try await page(of: partition, after: writer.position, upTo: target, or: pages.popFirst())
        while let last = events.last {
            let known = pages.popFirst()
            async let next = page(of: partition, after: last.position, upTo: target, or: known)
            try await writer.write(events, on: connection)
            meter.add(Int64(events.count))
            events = try await next
        }
        return writer.position
    }

    private func page(
        of partition: Int,
        after position: Int64,
        upTo target: Int64,
        or known: [RecordedEvent]?
    ) async throws -> [RecordedEvent] {
        if let known { return known }
        return try await Self.read(log, partition, after: position, upTo: target)
    }

    static func read(
        _ log: LogReader,
        _ partition: Int,
        after position: Int64,
        upTo target: Int64
    ) async throws -> [RecordedEvent] {
        let limit = min(Int64(batchEvents), target - position)
        guard limit > 0 else { return [] }
        return try await log.events(partition: partition, after: position, limit: Int(limit))
    }
}
