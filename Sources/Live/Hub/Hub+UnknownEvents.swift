import EventSourcing
import EventStore
import Logging

/// A newer program may write events that this one does not know. No cursor of this process passes one: neither that of a
/// stream, which the hub moves, nor that of a catch-up, which goes as far as the read models have come, and those another
/// process may have written.
extension Hub {
    private static let pageSize = 256

    /// As much of a vector as this program understands.
    ///
    /// What the hub has passed on is understood; the rest is looked through.
    package func understood(_ vector: PositionVector) async throws -> PositionVector {
        let passed = self.vector
        let stops = self.stops
        for (partition, position) in vector.positions.enumerated()
        where position > passed[partition] && stops[partition] == nil {
            try await stopBeforeUnknown(in: partition, after: passed[partition], upTo: position)
        }
        return readable(vector)
    }

    private func stopBeforeUnknown(in partition: Int, after start: Int64, upTo end: Int64) async throws {
        var position = start
        while position < end {
            let isInFeed = eventStore.feed.head(of: partition) >= end
            let events =
                isInFeed
                ? try await eventStore.feed.events(partition: partition, after: position, limit: Self.pageSize)
                : try await eventStore.log.events(partition: partition, after: position, limit: Self.pageSize)
            guard let last = events.last else { return }
            for event in events where event.position <= end {
                if let unknown = event.unknown { return stop(before: event, unknown) }
            }
            position = last.position
        }
    }

    func stop(before event: RecordedEvent, _ unknown: UnknownEvent) {
        guard stop(event.partition, before: event.position) else { return }
        logger.error(
            "streams stop before an event of a newer version",
            metadata: [
                "partition": "\(event.partition)", "position": "\(event.position)", "type": "\(unknown.type)",
                "version": "\(unknown.schemaVersion)",
            ]
        )
    }
}
