import CoreMetrics
import EventStore
import Logging
import Synchronization

/// The events that clients who caught up were not told of, as they cannot be rendered: one line of the log says so of each,
/// and not one for every client.
final class PassedOverEvents: Sendable {
    private struct Place: Hashable {
        let partition: Int
        let position: Int64
    }

    private let places = Mutex(TwoGenerationCache<Place, Bool>(capacity: 1_000))
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// How many are remembered.
    var count: Int { places.withLock { $0.weight } }

    func note(_ partition: Int, _ position: Int64, for error: any Error) {
        StreamMetrics.passedOver.increment()
        let isNew = places.withLock { places in
            let place = Place(partition: partition, position: position)
            guard places.value(for: place) == nil else { return false }
            places.insert(true, for: place)
            return true
        }
        guard isNew else { return }
        logger.error(
            "an event cannot be rendered: clients that catch up are not told of it",
            metadata: ErrorMetadata.describing(error).merging([
                "partition": "\(partition)", "position": "\(position)",
            ]) { $1 }
        )
    }
}
