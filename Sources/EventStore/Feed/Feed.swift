import CoreMetrics
import DequeModule
package import EventSourcing
package import Foundation
package import Logging
import Postgres
import Synchronization

/// The tail of the log in memory, partition by partition, in order and without holes.
///
/// Lanes hand over what they committed. What other processes commit is seen by a poll of the heads. Readers ask for the
/// events past a position and get them from memory, or from the log where memory does not reach back: so nothing hangs
/// on the hand-over being complete.
///
/// What it holds is of one epoch. Whoever reads or hands over names the generation in which that began, and is refused
/// once it is over.
package final class Feed: Sendable {
    /// What is kept per partition, whichever is reached first.
    private static let tailEvents = 2_048
    private static let tailBytes = 4 << 20
    /// How often the heads are read while other processes append, and while none does.
    private static let pollInterval = Duration.milliseconds(250)
    private static let idlePollInterval = Duration.seconds(1)
    /// So many polls without news, and nobody else appends.
    private static let idlePolls = 40

    private struct Tail {
        /// Contiguous; its last is not always the head.
        var events: Deque<RecordedEvent> = []
        var bytes = 0
        var head: Int64 = 0

        mutating func append(_ event: RecordedEvent) {
            head = max(head, event.position)
            if let last = events.last {
                if event.position <= last.position { return }
                // What the log takes away does not stay in memory either, whichever process was told to.
                if event.retractsContent { drop() }
                if event.position > last.position + 1 {
                    events.removeAll(keepingCapacity: true)
                    bytes = 0
                }
            }
            events.append(event)
            bytes += event.size + 256
            while events.count > 1, events.count > Feed.tailEvents || bytes > Feed.tailBytes {
                if let dropped = events.popFirst() { bytes -= dropped.size + 256 }
            }
        }

        mutating func drop() {
            events.removeAll()
            bytes = 0
        }

        /// The events past a position, or nil where they begin before memory does.
        func events(after position: Int64, limit: Int) -> [RecordedEvent]? {
            guard position < head else { return [] }
            guard let first = events.first, first.position <= position + 1 else { return nil }
            let start = Int(clamping: position + 1 - first.position)
            guard start < events.count else { return nil }
            return Array(events[start..<min(events.count, start + limit)])
        }
    }

    private struct State {
        var generation: Int
        var tails: [Tail]
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextSubscriber = 0
    }

    package let epoch: LogEpoch
    private let log: LogReader
    private let logger: Logger
    private let onErasure: @Sendable (UUID) -> Void
    private let state: Mutex<State>

    /// - Parameter onErasure: is told of each person whose erasure passes by, at least once.
    package init(
        log: LogReader,
        epoch: LogEpoch,
        logger: Logger,
        onErasure: @escaping @Sendable (UUID) -> Void = { _ in }
    ) {
        self.log = log
        self.epoch = epoch
        self.onErasure = onErasure
        self.logger = logger
        state = Mutex(
            State(generation: epoch.generation, tails: Array(repeating: Tail(), count: log.identity.partitions))
        )
        epoch.compareHeads { [weak self] in self?.heads ?? [] }
        epoch.onBegin { [weak self] _ in self?.wake() }
    }

    /// The state, emptied first where its epoch is over.
    private func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            if state.generation < epoch.generation {
                let present = epoch.present
                state.generation = present.generation
                state.tails = present.heads.map { Tail(head: $0) }
            }
            return try body(&state)
        }
    }

    /// The newest position that is known to be committed.
    package func head(of partition: Int) -> Int64 {
        withState { $0.tails.indices.contains(partition) ? $0.tails[partition].head : 0 }
    }

    /// The newest positions of all partitions that are known to be committed.
    package var heads: [Int64] {
        withState { $0.tails.map(\.head) }
    }

    /// The events of a partition past a position, in order and contiguous; none when there is nothing new.
    ///
    /// - Parameter generation: where the position was learned; nil for the present one.
    /// - Throws: ``EpochEnded`` where that is over; then nothing of what was read is true any more.
    package func events(
        partition: Int,
        after position: Int64,
        limit: Int,
        in generation: Int? = nil
    ) async throws -> [RecordedEvent] {
        let (known, present) = try withState { state in
            guard generation ?? state.generation == state.generation else { throw EpochEnded() }
            let known =
                state.tails.indices.contains(partition)
                ? state.tails[partition].events(after: position, limit: limit) : []
            return (known, state.generation)
        }
        if let known { return known }
        EventStoreMetrics.feedReads.increment()
        let events = try await log.events(partition: partition, after: position, limit: limit)
        noteErasures(in: events)
        // Close to the head, what was read continues the tail in memory, for the next reader.
        let subscribers = try withState { state in
            guard state.generation == present else { throw EpochEnded() }
            let head = state.tails[partition].head
            guard let last = events.last, last.position >= head else { return [AsyncStream<Void>.Continuation]() }
            for event in events { state.tails[partition].append(event) }
            // The poll will not see it as a rise any more.
            return last.position > head ? Array(state.subscribers.values) : []
        }
        for subscriber in subscribers { subscriber.yield() }
        return events
    }

    /// A signal at every rise of a head; signals that were not taken yet fall together.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        // What was there before is a change for a newcomer.
        continuation.yield()
        return stream
    }

    /// Takes what a lane has committed: events of its partitions, in order.
    ///
    /// - Parameter generation: that of the connection over which they were committed. Once it is over, the events may be
    ///   among those that were lost, and are not taken.
    func publish(_ events: [RecordedEvent], in generation: Int) {
        guard !events.isEmpty else { return }
        noteErasures(in: events)
        let subscribers = withState { state in
            guard state.generation == generation else { return [AsyncStream<Void>.Continuation]() }
            for event in events { state.tails[event.partition].append(event) }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield() }
    }

    /// Has all readers look again.
    package func wake() {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.yield() }
    }

    private func noteErasures(in events: [RecordedEvent]) {
        for event in events {
            guard case .event(let body) = event.body, body.isErasure else { continue }
            onErasure(event.stream.id)
            // What the person said may be in any partition; from now on the log gives it to nobody here.
            dropMemory()
        }
    }

    /// Drops the events in memory: readers find them in the log.
    func dropMemory() {
        withState { state in
            for partition in state.tails.indices { state.tails[partition].drop() }
        }
    }

    /// Reads the heads from the log, and whether it is the same as before.
    ///
    /// - Returns: whether there was anything that the feed did not know.
    @discardableResult
    package func poll() async throws -> Bool {
        let (seen, heads) = try await log.pool.withConnection { try await epoch.look(on: $0) }
        let (rose, subscribers) = withState { state in
            guard state.generation == seen.generation else { return (true, [AsyncStream<Void>.Continuation]()) }
            var rose = false
            for (partition, head) in heads.enumerated() where state.tails.indices.contains(partition) {
                if head > state.tails[partition].head {
                    state.tails[partition].head = head
                    rose = true
                }
            }
            return (rose, rose ? Array(state.subscribers.values) : [])
        }
        for subscriber in subscribers { subscriber.yield() }
        return rose
    }

    /// Polls the heads until cancelled.
    package func run() async {
        var failures = 0
        var pollsWithoutNews = 0
        while !Task.isCancelled {
            do {
                pollsWithoutNews = try await poll() ? 0 : pollsWithoutNews + 1
                failures = 0
            } catch {
                failures += 1
                if failures == 1 { logger.warning("the feed cannot read the log", metadata: ["error": "\(error)"]) }
            }
            // Ends early only by cancellation, which the loop looks at.
            let isIdle = pollsWithoutNews >= Self.idlePolls
            try? await Task.sleep(for: isIdle ? Self.idlePollInterval : Self.pollInterval)
        }
    }
}

extension RecordedEvent {
    fileprivate var retractsContent: Bool {
        if case .event(let event) = body { event.retractsContent } else { false }
    }
}
