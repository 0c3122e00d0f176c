import EventSourcing
import EventStore
import Logging
import Synchronization

/// A newer program may write events that this one does not know. No cursor of this process passes one: neither that of a
/// stream, which the hub moves, nor that of a catch-up, which goes as far as the read models have come, and those another
/// process may have written.
extension Hub {
    private static let pageSize = 256

    /// The first event of each partition that this program does not know.
    var stops: [Int: Int64] { state.withLock { $0.stops } }

    /// How far each partition has been passed on, where it stops, and in which epoch.
    var places: (vector: PositionVector, stops: [Int: Int64], epoch: Epoch) {
        state.withLock { ($0.vector, $0.stops, $0.epoch) }
    }

    /// As much of a vector as can ever be passed on.
    func readable(_ vector: PositionVector) -> PositionVector { state.withLock { $0.readable(vector) } }

    /// Passes nothing on from a position on.
    ///
    /// - Parameter epoch: in which the event there was read.
    /// - Returns: whether that is news.
    private func stop(_ partition: Int, before position: Int64, in epoch: Epoch) -> Bool {
        state.withLock { $0.stop(partition, before: position, in: epoch) }
    }

    /// As much of a vector as this program understands.
    ///
    /// What the hub has passed on is understood; the rest is looked through.
    package func understood(_ vector: PositionVector) async throws -> PositionVector {
        let (passed, stops, epoch) = places
        for (partition, position) in vector.positions.enumerated()
        where position > passed[partition] && stops[partition] == nil {
            try await stopBeforeUnknown(in: partition, after: passed[partition], upTo: position, epoch)
        }
        return readable(vector)
    }

    private func stopBeforeUnknown(
        in partition: Int,
        after start: Int64,
        upTo end: Int64,
        _ epoch: Epoch
    ) async throws {
        var position = start
        while position < end {
            let isInFeed = eventStore.feed.head(of: partition) >= end
            let events =
                isInFeed
                ? try await eventStore.feed.events(partition: partition, after: position, limit: Self.pageSize)
                : try await eventStore.log.events(partition: partition, after: position, limit: Self.pageSize)
            guard let last = events.last else { return }
            for event in events where event.position <= end {
                if let unknown = event.unknown { return stop(before: event, unknown, in: epoch) }
            }
            position = last.position
        }
    }

    func stop(before event: RecordedEvent, _ unknown: UnknownEvent, in epoch: Epoch) {
        guard stop(event.partition, before: event.position, in: epoch) else { return }
        logger.error(
            "streams stop before an event of a newer version",
            metadata: [
                "partition": "\(event.partition)", "position": "\(event.position)", "type": "\(unknown.type)",
                "version": "\(unknown.schemaVersion)",
            ]
        )
    }
}
