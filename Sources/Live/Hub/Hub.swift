import CoreMetrics
package import EventStore
package import Foundation
package import Logging
import Postgres
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

    let eventStore: EventStore
    private let queries: Queries
    private let checkpoints: Checkpoints
    /// Lets those through who come back, or begin anew.
    package let turnstile: Turnstile
    let passedOver: PassedOverEvents
    let limits: StreamLimits
    let state: Mutex<HubState>
    let views: ViewPublisher
    let typing = TypingIndicators()
    let clock: LiveClock
    package let presences: Presences
    let logger: Logger

    /// Begins at the log's present end.
    package static func open(
        eventStore: EventStore,
        queries: Queries,
        checkpoints: Checkpoints,
        logger: Logger
    ) async throws -> Hub {
        // Before the heads: where an epoch begins meanwhile, the hub begins anew at once.
        let epoch = eventStore.epoch.present
        let heads = try await eventStore.log.heads()
        return Hub(eventStore, queries, checkpoints, PositionVector(heads), in: epoch, StreamLimits(), logger)
    }

    init(
        _ eventStore: EventStore,
        _ queries: Queries,
        _ checkpoints: Checkpoints,
        _ start: PositionVector,
        in epoch: Epoch? = nil,
        _ limits: StreamLimits,
        _ logger: Logger,
        clock: LiveClock = LiveClock()
    ) {
        StreamMetrics.begin()
        self.eventStore = eventStore
        self.queries = queries
        self.checkpoints = checkpoints
        self.logger = logger
        self.limits = limits
        self.clock = clock
        views = ViewPublisher()
        turnstile = Turnstile(
            permits: limits.catchUps,
            maxWaiting: limits.waitingCatchUps,
            maxPerPerson: limits.catchUpsPerPerson
        )
        passedOver = PassedOverEvents(logger: logger)
        let epoch = epoch ?? eventStore.epoch.present
        presences = Presences(
            queries: queries,
            checkpoints: checkpoints,
            feed: eventStore.feed,
            pool: eventStore.pool,
            clock: clock,
            logger: logger
        )
        state = Mutex(HubState(epoch: epoch, startingAt: start, limits: limits, presences: presences))
        eventStore.feed.onEvents { [typing] events in
            for event in events { typing.note(event) }
        }
        eventStore.epoch.onBegin { [weak self] in self?.restart(in: $0) }
        restart(in: eventStore.epoch.present)
    }

    /// Serves those who come back.
    package var catchUp: CatchUp {
        CatchUp(
            eventStore: eventStore,
            queries: queries,
            checkpoints: checkpoints,
            turnstile: turnstile,
            passedOver: passedOver,
            understood: { [self] in try await understood($0) }
        )
    }

    /// The log's epoch that all streams here are in; a moment behind the event store's, at most.
    package var epoch: Epoch { state.withLock { $0.epoch } }

    private func restart(in epoch: Epoch) {
        // First, or a stream that begins anew would be told that it waits in vain.
        checkpoints.begin(epoch)
        state.withLock { $0.restart(in: epoch) }
        // Events that came before the hub knew of the epoch have woken nobody.
        eventStore.feed.wake()
    }

    /// Whether a cursor can be continued.
    package func checked(_ start: StreamStart) async throws -> StreamStart {
        try await start.checked(known: eventStore.feed.heads, heads: eventStore.log.heads)
    }

    /// Waits until the read models show what the log holds of a person, as far as this process knows.
    package func waitForPresent(of person: UUID) async throws {
        let partition = eventStore.identity.partition(of: person)
        let head = eventStore.feed.head(of: partition)
        _ = try await checkpoints.wait(for: [partition: head], timeout: .seconds(2))
    }

    // MARK: Streams

    /// - Returns: the place in which a stream will wait that is opened now.
    /// - Throws: the problem `overloaded` where it would be one too many.
    package func reserve() throws -> Turnstile.Place {
        try turnstile.reserve()
    }

    package func open(_ owner: StreamOwner, heartbeatsAreEvents: Bool) -> Subscription {
        state.withLock { $0.open(owner, heartbeatsAreEvents: heartbeatsAreEvents) }
    }

    package func close(_ subscription: Subscription) {
        state.withLock { $0.close(subscription) }
    }

    func attach(_ attachment: HubState.Attachment) {
        state.withLock { $0.attach(attachment) }
    }

    /// How far a partition has been passed on, and in which epoch.
    func place(in partition: Int) -> (position: Int64, epoch: Epoch) {
        state.withLock { ($0.vector[partition], $0.epoch) }
    }

    /// How far the log has been passed on.
    var vector: PositionVector { state.withLock { $0.vector } }

    /// How often people have changed as the streams know them: what is rendered from older knowledge must not follow.
    struct PeopleVersion: Sendable, Equatable {
        var nameChanges: Int
        var erasures: Int
        /// How many views were published beside the log: older ones that follow are published anew.
        var viewsPublished: Int
    }

    var peopleVersion: PeopleVersion {
        state.withLock {
            PeopleVersion(nameChanges: $0.nameChanges, erasures: $0.erasures, viewsPublished: $0.publishedViews.count)
        }
    }

    /// Passes on the next event of a partition.
    ///
    /// - Parameters:
    ///   - epoch: in which it was read.
    ///   - people: what the streams knew of people before the item was rendered.
    ///   - allowingOldNames: passes it on although names have changed since; never where somebody was erased since.
    /// - Returns: false where the item must be rendered anew.
    /// - Throws: `EpochEnded` where its epoch is over.
    func publish(
        _ item: HubItem,
        in epoch: Epoch,
        renderedFor people: PeopleVersion,
        allowingOldNames: Bool
    ) throws -> Bool {
        try state.withLock { state in
            guard state.epoch == epoch else { throw EpochEnded() }
            guard people.erasures == state.erasures, allowingOldNames || people.nameChanges == state.nameChanges
            else { return false }
            state.publish(item)
            guard let conversation = item.showsViewsIn else { return true }
            for person in state.publishedViews.people(in: conversation, since: people.viewsPublished) {
                views.changed(of: person, in: conversation)
            }
            return true
        }
    }

    // MARK: Unread counts

    /// Whose counts are to be published now, and in which epoch.
    func takeUnread(projected: [Int64]) -> (pending: [UnreadMarks.Pending], epoch: Epoch) {
        state.withLock { ($0.takeUnread(projected: projected), $0.epoch) }
    }

    /// Sends a person something that is no event of the log, unless the epoch in which it was read is over: it must not
    /// follow the `reset`.
    func send(to person: UUID, _ block: EventBlock, in epoch: Epoch) {
        state.withLock { state in
            if state.epoch == epoch { state.send(to: person, block) }
        }
    }

    /// Asks for counts again that could not be read.
    func retryUnread(_ person: UUID, in conversation: UUID, _ partition: Int) {
        state.withLock { $0.retryUnread(person, in: conversation, partition) }
    }

    // MARK: The end

    /// Ends the streams of a session that was revoked.
    package func end(session: UUID) {
        state.withLock { $0.end(session: session) }
    }

    /// Ends all streams, and those that are still opened, so that the server can stop.
    package func drain() {
        state.withLock { $0.drain() }
    }

    /// Checks once whether clients still take what is written to them.
    func checkStalls() {
        state.withLock { $0.checkStalls() }
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
        let follower = LogFollower(hub: self, feed: eventStore.feed, logger: logger) { self.renderer(in: $0) }
        let counts = UnreadPublisher(
            hub: self,
            queries: queries,
            checkpoints: checkpoints,
            log: eventStore.identity,
            logger: logger
        )
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: PostgresThread.executor) { await follower.run() }
                group.addTask { await self.keepTime(counting: tick) }
                group.addTask { await counts.run(at: ticks) }
                group.addTask { await self.views.run(for: self, self.queries, self.checkpoints) }
                group.addTask {
                    await self.presences.run { piece, stream in self.state.withLock { $0.send(piece, to: stream) } }
                }
            }
        }
        drain()
    }

    private func renderer(in epoch: Epoch) -> LiveRenderer {
        LiveRenderer(
            queries: queries,
            checkpoints: checkpoints,
            feed: eventStore.feed,
            log: eventStore.identity,
            epoch: epoch,
            connected: { [self] audience in state.withLock { $0.connected(audience) } }
        )
    }

    // MARK: The shared clock

    /// - Parameter counts: gets a tick where there is anything to count.
    private func keepTime(counting counts: AsyncStream<Void>.Continuation) async {
        var ticks: UInt64 = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.tick)
            ticks += 1
            StreamMetrics.open.record(openStreams)
            StreamMetrics.stoppedPartitions.record(stops.count)
            StreamMetrics.withheldPresence.record(presences.standing.count)
            let isCountDue = state.withLock { state in
                state.beat(slot: ticks % Self.slots, of: Self.slots)
                if ticks.isMultiple(of: 2) { state.flushDeferred() }
                if ticks.isMultiple(of: 4) { state.endExpired(at: Date()) }
                return state.hasUnread
            }
            if isCountDue { counts.yield() }
            if ticks.isMultiple(of: 4) { checkStalls() }
        }
    }
}
