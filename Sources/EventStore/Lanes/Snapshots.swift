import Logging
import Postgres

/// Stores states beside the lanes, which never wait for it.
final class Snapshots: Sendable {
    private let pool: PostgresPool
    private let epoch: LogEpoch
    private let logger: Logger
    private let stream: AsyncStream<(snapshot: DueSnapshot, generation: Int)>
    private let continuation: AsyncStream<(snapshot: DueSnapshot, generation: Int)>.Continuation

    init(pool: PostgresPool, epoch: LogEpoch, logger: Logger) {
        self.pool = pool
        self.epoch = epoch
        self.logger = logger
        // Full means that the database is busy: a snapshot that is dropped is made again later.
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    func put(_ snapshot: DueSnapshot, of generation: Int) {
        continuation.yield((snapshot, generation))
    }

    func close() {
        continuation.finish()
    }

    /// The present epoch, in which states are to be read.
    var generation: Int { epoch.generation }

    /// Stores a state, if the epoch that it was read in goes on: it may be ahead of the log else, and would stay so.
    func store(_ snapshot: DueSnapshot, of generation: Int) async throws {
        try await pool.withConnection { connection in
            guard try await epoch.observe(on: connection).generation == generation else { return }
            try await snapshot.store(on: connection)
        }
    }

    func run() async {
        for await (snapshot, generation) in stream {
            do {
                try await store(snapshot, of: generation)
            } catch {
                // It is only a short cut: without it the events are all there.
                logger.debug("a state snapshot was not stored", metadata: ["error": "\(error)"])
            }
        }
    }
}
