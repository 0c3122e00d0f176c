import CoreMetrics
import EventSourcing
import EventStore
import Foundation
import Logging
import Postgres
import Synchronization

/// Follows the log and hands the hub its events, each partition in order by a pipeline of its own.
final class LogFollower: Sendable {
    private static let pageSize = 256
    /// An event is rendered at most so often because people changed their names meanwhile.
    private static let renderings = 3
    /// After so many failures an event is not rendered any more.
    private static let maxFailures = 5
    /// How often it is checked whether a partition still stops.
    private static let stopInterval: Duration = .milliseconds(250)
    private static let pauseBetweenEpochs: Duration = .milliseconds(5)

    private let hub: Hub
    private let feed: Feed
    private let makeRenderer: @Sendable (Epoch) -> LiveRenderer
    private let renderer: Mutex<LiveRenderer>
    private let logger: Logger

    /// - Parameter makeRenderer: makes the renderer of an epoch: what it remembers is true no longer.
    init(hub: Hub, feed: Feed, logger: Logger, makeRenderer: @escaping @Sendable (Epoch) -> LiveRenderer) {
        self.hub = hub
        self.feed = feed
        self.makeRenderer = makeRenderer
        self.logger = logger
        renderer = Mutex(makeRenderer(hub.epoch))
    }

    private func renderer(in epoch: Epoch) throws -> LiveRenderer {
        try renderer.withLock { renderer in
            guard renderer.epoch.generation <= epoch.generation else { throw EpochEnded() }
            if renderer.epoch.generation < epoch.generation { renderer = makeRenderer(epoch) }
            return renderer
        }
    }

    /// Runs until cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for partition in 0..<feed.heads.count {
                group.addTask {
                    for await _ in self.feed.changes(of: partition) { await self.passOn(partition) }
                }
            }
        }
    }

    /// Passes a partition's events on until there are none left.
    private func passOn(_ partition: Int) async {
        var faults = 0
        /// How often the next event itself could not be rendered.
        var failures = 0
        while !Task.isCancelled {
            do {
                let (position, epoch) = hub.place(in: partition)
                let events = try await feed.events(
                    partition: partition,
                    after: position,
                    limit: Self.pageSize,
                    in: epoch.generation
                )
                guard !events.isEmpty else { return }
                for event in events {
                    if let unknown = event.unknown {
                        try await stop(before: event, unknown, in: epoch)
                        break
                    }
                    try await passOn(event, in: epoch, &failures)
                    faults = 0
                    failures = 0
                    // What others wait for on this thread goes between two events: many may come at once.
                    await Task.yield()
                }
            } catch is CancellationError {
                return
            } catch is EpochEnded {
                // The hub begins anew in a moment, if it has not yet; what was under way may be lost.
                try? await Task.sleep(for: Self.pauseBetweenEpochs)
            } catch {
                faults += 1
                note(error, faults, partition)
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: .milliseconds(min(2_000, 50 << min(faults, 6))))
            }
        }
    }

    /// Waits for as long as the hub stops there: this program will not learn to read the event, but the log may lose it.
    private func stop(before event: RecordedEvent, _ unknown: UnknownEvent, in epoch: Epoch) async throws {
        hub.stop(before: event, unknown, in: epoch)
        while hub.stops[event.partition] == event.position { try await Task.sleep(for: Self.stopInterval) }
    }

    private func passOn(_ event: RecordedEvent, in epoch: Epoch, _ failures: inout Int) async throws {
        let renderer = try renderer(in: epoch)
        try await renderer.waitWhileStopped(event.partition, event.position)
        for attempt in 1... {
            let people = hub.peopleVersion
            let announcement = Announcement(of: event)
            let item =
                if let announcement {
                    try await item(for: announcement, by: renderer, &failures)
                } else {
                    HubItem(partition: event.partition, position: event.position)
                }
            let isLast = attempt >= Self.renderings
            guard try hub.publish(item, in: epoch, renderedFor: people, allowingOldNames: isLast) else { continue }
            if let announcement { renderer.passed(announcement) }
            StreamMetrics.passedOn.increment()
            return
        }
    }

    private func item(
        for announcement: Announcement,
        by renderer: LiveRenderer,
        _ failures: inout Int
    ) async throws -> HubItem {
        do {
            return try await renderer.item(for: announcement)
        } catch  where Self.mayBeOfTheEvent(error) {
            failures += 1
            // The streams of those whom it does not concern must not wait for ever.
            guard failures >= Self.maxFailures else { throw error }
            StreamMetrics.unrendered.increment()
            logger.error(
                "an event cannot be rendered: the streams that it concerns read it from the log",
                metadata: ["partition": "\(announcement.partition)", "position": "\(announcement.position)"]
            )
            return renderer.itemToReadFromLog(announcement)
        }
    }

    /// Whether the event itself may be what cannot be rendered. A database that cannot be reached can be waited for.
    private static func mayBeOfTheEvent(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is PostgresConnectionError, is EpochEnded: false
        case let error as PostgresError: !["08", "53", "57P"].contains { error.sqlState.rawValue.hasPrefix($0) }
        default: true
        }
    }

    private func note(_ error: any Error, _ faults: Int, _ partition: Int) {
        StreamMetrics.faults.increment()
        guard faults == 1 else { return }
        logger.warning(
            "streams wait: an event cannot be passed on yet",
            metadata: ErrorMetadata.describing(error).merging(["partition": "\(partition)"]) { $1 }
        )
    }
}
