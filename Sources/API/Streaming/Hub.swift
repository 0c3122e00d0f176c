import EventSourcing
package import EventStore
package import Foundation
package import Logging
import ParleyWire
package import ReadModels
import ServiceLifecycle
import Synchronization

/// Passes what happens in the log on to the streams that are open in this process. One per process.
///
/// Each partition has a pipeline of its own, in the order of the log; ``HubState`` joins them into one order. What other
/// processes append comes by the same way, through the feed.
package final class Hub: Sendable {
    private static let tick: Duration = .milliseconds(250)
    /// A stream hears a heartbeat in one of so many ticks: every 25 s.
    private static let slots: UInt64 = 100
    /// A client that takes nothing for so many looks, one per second, is cut.
    private static let patience = 60
    private static let pageSize = 256

    /// How many clients that come back are served from the database at once.
    private static let catchUps = 6

    let catchUp: CatchUp
    private let eventStore: EventStore
    private let queries: Queries
    private let checkpoints: Checkpoints
    private let state: Mutex<HubState>
    private let pipelines: Mutex<Set<Int>>
    private let logger: Logger

    /// Begins at the log's present end.
    package static func open(
        eventStore: EventStore,
        queries: Queries,
        checkpoints: Checkpoints,
        logger: Logger
    ) async throws -> Hub {
        let heads = try await eventStore.log.heads()
        return Hub(eventStore, queries, checkpoints, PositionVector(heads), StreamLimits(), logger)
    }

    init(
        _ eventStore: EventStore,
        _ queries: Queries,
        _ checkpoints: Checkpoints,
        _ start: PositionVector,
        _ limits: StreamLimits,
        _ logger: Logger
    ) {
        self.eventStore = eventStore
        self.queries = queries
        self.checkpoints = checkpoints
        self.logger = logger
        state = Mutex(HubState(epoch: eventStore.identity.epoch, startingAt: start, limits: limits))
        pipelines = Mutex([])
        catchUp = CatchUp(
            eventStore: eventStore,
            queries: queries,
            checkpoints: checkpoints,
            turnstile: Turnstile(permits: Self.catchUps)
        )
    }

    var log: LogIdentity { eventStore.identity }

    /// Whether a cursor can be continued.
    func checked(_ start: StreamStart) async throws -> StreamStart {
        try await start.checked(known: eventStore.feed.heads, heads: eventStore.log.heads)
    }

    /// Waits until the read models show what the log holds of a person, as far as this process knows.
    func waitForPresent(of person: UUID) async throws {
        let partition = eventStore.identity.partition(of: person)
        let head = eventStore.feed.head(of: partition)
        _ = try await checkpoints.wait(for: [partition: head], timeout: .seconds(2))
    }

    // MARK: Streams

    func open(_ owner: StreamOwner, wantsPings: Bool) -> Subscription {
        state.withLock { $0.open(owner, wantsPings: wantsPings) }
    }

    func close(_ subscription: Subscription) {
        state.withLock { $0.close(subscription) }
    }

    func attach(_ attachment: HubState.Attachment) {
        state.withLock { $0.attach(attachment) }
    }

    /// Ends the streams of a session that was revoked.
    package func end(session: UUID) {
        state.withLock { $0.end(session: session) }
    }

    /// Ends all streams, and those that are still opened, so that the server can stop.
    package func drain() {
        state.withLock { $0.drain() }
    }

    package var openStreams: Int {
        state.withLock { $0.openStreams }
    }

    /// How often a stream was sent back to the log, because it was slow or something was not rendered for it.
    package var fallbacks: Int {
        state.withLock { $0.fallbacks }
    }
}

// MARK: - Running

extension Hub: Service {
    /// Follows the log until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.follow() }
                group.addTask { await self.keepTime() }
                group.addTask { await self.tellUnread() }
            }
        }
        drain()
    }

    private func follow() async {
        let renderer = LiveRenderer(
            queries: queries,
            checkpoints: checkpoints,
            feed: eventStore.feed,
            log: eventStore.identity,
            connected: { [self] audience in state.withLock { $0.connected(audience) } }
        )
        await withDiscardingTaskGroup { group in
            for await _ in eventStore.feed.changes() {
                for partition in startPipelines() {
                    group.addTask { await self.passOn(partition, renderer) }
                }
            }
            group.cancelAll()
        }
    }

    /// The partitions that have something to pass on and nobody who does it.
    private func startPipelines() -> [Int] {
        let vector = state.withLock { $0.vector }
        return eventStore.feed.heads.enumerated().compactMap { partition, head in
            guard head > vector[partition] else { return nil }
            return pipelines.withLock { $0.insert(partition).inserted } ? partition : nil
        }
    }

    /// Passes a partition's events on until there are none left.
    private func passOn(_ partition: Int, _ renderer: LiveRenderer) async {
        var faults = 0
        while !Task.isCancelled {
            do {
                let position = state.withLock { $0.vector[partition] }
                let events = try await eventStore.feed.events(partition: partition, after: position, limit: Self.pageSize)
                guard !events.isEmpty else {
                    if stopPipeline(partition) { return }
                    continue
                }
                for event in events {
                    let item = try await renderer.item(for: event)
                    state.withLock { $0.publish(item) }
                    faults = 0
                }
            } catch is CancellationError {
                return
            } catch {
                faults += 1
                if faults == 1 {
                    logger.warning(
                        "streams wait: an event cannot be passed on yet",
                        metadata: ["partition": "\(partition)", "error": "\(error)"]
                    )
                }
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: .milliseconds(min(2_000, 50 << min(faults, 6))))
            }
        }
    }

    /// Whether the pipeline may end: nothing came while it said so.
    private func stopPipeline(_ partition: Int) -> Bool {
        _ = pipelines.withLock { $0.remove(partition) }
        let position = state.withLock { $0.vector[partition] }
        guard eventStore.feed.head(of: partition) > position else { return true }
        return pipelines.withLock { !$0.insert(partition).inserted }
    }

    // MARK: The shared clock

    private func keepTime() async {
        var ticks: UInt64 = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.tick)
            ticks += 1
            state.withLock { state in
                state.beat(slot: ticks % Self.slots, of: Self.slots)
                if ticks.isMultiple(of: 4) {
                    state.endExpired(at: Date())
                    state.look(limit: Self.patience)
                }
            }
        }
    }

    /// Tells unread counts, at most four times a second.
    private func tellUnread() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.tick)
            let projected = checkpoints.positions
            let pending = state.withLock { $0.takeUnread(projected: projected) }
            let keys = pending.flatMap { pending in
                pending.people.map { UnreadKey(user: $0, conversation: pending.conversation) }
            }
            for start in stride(from: 0, to: keys.count, by: 1_000) {
                await tellUnread(Array(keys[start..<min(keys.count, start + 1_000)]))
            }
        }
    }

    private func tellUnread(_ keys: [UnreadKey]) async {
        do {
            for unread in try await queries.unread(keys) {
                let block = try EventBlock(.unreadUpdated(unread.event))
                state.withLock { $0.tell(unread.key.user, block) }
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("unread counts cannot be read", metadata: ["error": "\(error)"])
            state.withLock { state in
                for key in keys {
                    let partition = eventStore.identity.partition(of: key.conversation)
                    state.retryUnread(key.user, in: key.conversation, partition)
                }
            }
        }
    }
}
