import EventSourcing
import EventStore
import Postgres

/// The new tables right behind the live ones, on a connection that stays open: so the last step is a short one.
struct RebuildTail {
    private let log: LogReader
    private let connection: PostgresConnection
    private let meter: ProgressMeter
    private var writers: [PartitionWriter]

    static func open(
        log: LogReader,
        on connection: PostgresConnection,
        meter: ProgressMeter
    ) async throws -> RebuildTail {
        let partitions = log.identity.partitions
        let writers = try await PartitionWriter.openAll(partitions: partitions, in: .next, on: connection)
        return RebuildTail(log: log, connection: connection, meter: meter, writers: writers)
    }

    private init(log: LogReader, connection: PostgresConnection, meter: ProgressMeter, writers: [PartitionWriter]) {
        self.log = log
        self.connection = connection
        self.meter = meter
        self.writers = writers
    }

    var partitions: Int { writers.count }

    /// How many events lie between the new tables and these positions.
    func lag(behind positions: [Int64]) -> Int64 {
        zip(positions, writers).reduce(0) { $0 + max(0, $1.0 - $1.1.position) }
    }

    /// Projects every partition up to a position.
    mutating func advance(to targets: [Int64]) async throws {
        meter.aim(at: zip(targets, writers).reduce(0) { $0 + max($1.0, $1.1.position) })
        for (partition, target) in targets.enumerated() {
            while writers[partition].position < target {
                let position = writers[partition].position
                let limit = min(RebuildLoader.batchEvents, Int(clamping: target - position))
                let events = try await log.events(partition: partition, after: position, limit: limit)
                guard !events.isEmpty else { break }
                try await writers[partition].write(events, on: connection)
                meter.add(Int64(events.count))
            }
        }
    }

    /// Of the new tables, as they stand.
    func digests() async throws -> [TableDigest] {
        try await connection.withTransaction(.repeatableRead, readOnly: true) { connection in
            try await TableDigest.readAll(.next, on: connection)
        }
    }
}
