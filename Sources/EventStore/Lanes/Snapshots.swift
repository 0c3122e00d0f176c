import Logging
import Postgres

/// Stores states beside the lanes, which never wait for it.
final class Snapshots: Sendable {
    private let pool: PostgresPool
    private let logger: Logger
    private let stream: AsyncStream<DueSnapshot>
    private let continuation: AsyncStream<DueSnapshot>.Continuation

    init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
        // Full means that the database is busy: a snapshot that is dropped is made again later.
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    func put(_ snapshot: DueSnapshot) {
        continuation.yield(snapshot)
    }

    func close() {
        continuation.finish()
    }

    func run() async {
        for await snapshot in stream {
            do {
                try await snapshot.store(in: pool)
            } catch {
                // It is only a short cut: without it the events are all there.
                logger.debug("a state snapshot was not stored", metadata: ["error": "\(error)"])
            }
        }
    }
}
