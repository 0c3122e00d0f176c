import CoreMetrics
import DequeModule
package import EventSourcing
package import Foundation
package import Logging
import Postgres
import Synchronization

/// The tail of the log in memory, partition by partition, in order and without holes.
///
/// Lanes hand over what they committed. What other processes commit is read at once where a hint says that there is
/// something, and else seen by a poll of the heads. Readers ask for the events past a position and get them from memory, or
/// from the log where memory does not reach back: so nothing hangs on the hand-over being complete.
///
/// What it holds is of one epoch. Whoever reads or hands over names the generation in which that began, and is refused
/// once it is over.
package final class Feed: Sendable {
    /// How often the heads are read while no other process appends, at most.
    private static let idlePollInterval = Duration.seconds(1)
    /// So many polls without news, and nobody else appends.
    private static let idlePolls = 40
    /// How often they are read, at least, while whoever else appended would say so.
    private static let restingPollInterval = Duration.seconds(10)

    /// Of so many partitions what is new is read where hints speak of it; of more the heads, for who reads them to go on.
    private static let fewPartitions = 4
    private static let pageSize = 256

    private struct State {
        var generation: Int
        var tails: [FeedTail]
        var subscribers: [Subscriber] = []
        var nextSubscriber = 0
        var commitHandlers: [EventHandler] = []
        var handlers: [EventHandler] = []
        var mayRest: @Sendable () -> Bool = { false }
        /// What other processes say that they have appended, of each partition, and that is not read yet.
        var hinted: [Int: Int64] = [:]
        /// Whether more may have been said than was received.
        var mayLackHints = false
    }

    /// Whom a rise of a head is signalled to.
    private struct Subscriber {
        let id: Int
        let signal: AsyncStream<Void>.Continuation
        /// Of which alone; nil for those who follow all.
        let partition: Int?
    }

    package typealias EventHandler = @Sendable ([RecordedEvent]) -> Void

    package let epoch: LogEpoch
    private let log: LogReader
    private let pollInterval: Duration
    private let logger: Logger
    private let onErasure: @Sendable (UUID) -> Void
    private let state: Mutex<State>
    /// Says that a hint was taken.
    private let hinted: AsyncStream<Void>
    private let wakeHinted: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - pollInterval: how often the heads are read while other processes append.
    ///   - onErasure: is told of each person whose erasure passes by, at least once.
    package init(
        log: LogReader,
        epoch: LogEpoch,
        pollInterval: Duration,
        logger: Logger,
        onErasure: @escaping @Sendable (UUID) -> Void = { _ in }
    ) {
        self.log = log
        self.epoch = epoch
        self.pollInterval = pollInterval
        self.onErasure = onErasure
        self.logger = logger
        (hinted, wakeHinted) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        state = Mutex(
            State(generation: epoch.generation, tails: Array(repeating: FeedTail(), count: log.identity.partitions))
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
                state.tails = present.heads.map { FeedTail(head: $0) }
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
        return try await read(partition, after: position, limit: limit, in: present)
    }

    /// Reads the log, whatever is known of its heads.
    private func read(
        _ partition: Int,
        after position: Int64,
        limit: Int,
        in present: Int
    ) async throws -> [RecordedEvent] {
        EventStoreMetrics.feedReads.increment()
        let events = try await log.events(partition: partition, after: position, limit: limit)
        pass(events)
        // Close to the head, what was read continues the tail in memory, for the next reader.
        let isRise = try withState { state in
            guard state.generation == present else { throw EpochEnded() }
            let head = state.tails[partition].head
            guard let last = events.last, last.position >= head else { return false }
            for event in events { state.tails[partition].append(event) }
            // The poll will not see it as a rise any more.
            return last.position > head
        }
        if isRise { signal([partition]) }
        return events
    }

    /// A signal at every rise of a head; signals that were not taken yet fall together.
    ///
    /// - Parameter partition: of which alone; nil for all. Who no longer takes them is forgotten at the next rise: they are for
    ///   readers that stay.
    package func changes(of partition: Int? = nil) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signalChanges(by: continuation, of: partition)
        return stream
    }

    /// The same for who takes other signals, too: it has them by its own stream, until that ends.
    package func signalChanges(by signal: AsyncStream<Void>.Continuation, of partition: Int? = nil) {
        state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers.append(Subscriber(id: state.nextSubscriber, signal: signal, partition: partition))
        }
        // What was there before is a change for a newcomer.
        signal.yield()
    }

    /// Has all readers look again.
    package func wake() {
        signal(nil)
    }

    /// - Parameter partitions: whose heads have risen; nil for all.
    private func signal(_ partitions: Set<Int>?) {
        let subscribers = state.withLock { $0.subscribers }
        var ended: Set<Int> = []
        for subscriber in subscribers {
            if let partitions, let own = subscriber.partition, !partitions.contains(own) { continue }
            if case .terminated = subscriber.signal.yield() { ended.insert(subscriber.id) }
        }
        guard !ended.isEmpty else { return }
        state.withLock { state in state.subscribers.removeAll { ended.contains($0.id) } }
    }

    /// Takes what a lane has committed: events of its partitions, in order.
    ///
    /// - Parameter generation: that of the connection over which they were committed. Once it is over, the events may be
    ///   among those that were lost, and are not taken.
    func publish(_ events: [RecordedEvent], in generation: Int) {
        guard !events.isEmpty else { return }
        pass(events)
        let handlers = withState { state -> [EventHandler]? in
            guard state.generation == generation else { return nil }
            for event in events { state.tails[event.partition].append(event) }
            return state.commitHandlers
        }
        guard let handlers else { return }
        signal(Set(events.map(\.partition)))
        for handler in handlers { handler(events) }
    }

    /// Calls `handler` with what this process has committed, in the order of each partition. It must not block.
    package func onCommit(_ handler: @escaping EventHandler) {
        state.withLock { $0.commitHandlers.append(handler) }
    }

    /// Calls `handler` with every event that passes by in this process, whoever appended it: at least once, and before
    /// any reader has it. It must not block.
    package func onEvents(_ handler: @escaping EventHandler) {
        state.withLock { $0.handlers.append(handler) }
    }

    private func pass(_ events: [RecordedEvent]) {
        noteErasures(in: events)
        for handler in state.withLock({ $0.handlers }) { handler(events) }
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
        let (seen, heads) = try await log.pool.withConnection { try await epoch.observeHeads(on: $0) }
        let risen = withState { state -> Set<Int>? in
            guard state.generation == seen.generation else { return nil }
            var risen: Set<Int> = []
            for (partition, head) in heads.enumerated() where state.tails.indices.contains(partition) {
                if head > state.tails[partition].head {
                    state.tails[partition].head = head
                    risen.insert(partition)
                }
            }
            return risen
        }
        guard let risen else { return true }
        if !risen.isEmpty { signal(risen) }
        return !risen.isEmpty
    }

    /// Takes the word of another process that it has appended: where that is news the log is read at once. It alone is
    /// believed, since it may have lost what the other one saw.
    package func hint(_ heads: [Int: Int64]) {
        let isNews = withState { state in
            let news = heads.filter {
                state.tails.indices.contains($0.key) && state.tails[$0.key].head < $0.value
            }
            state.hinted.merge(news) { max($0, $1) }
            return !news.isEmpty
        }
        if isNews { wakeHinted.yield() }
    }

    /// Hints may have been lost: the heads are read at once.
    package func hintOfGap() {
        state.withLock { $0.mayLackHints = true }
        wakeHinted.yield()
    }

    /// Reads what hints speak of, until cancelled.
    package func followHints() async {
        for await _ in hinted {
            let (news, mayLackHints, present) = withState { state in
                defer { (state.hinted, state.mayLackHints) = ([:], false) }
                let news = state.hinted.compactMap { partition, position in
                    let head = state.tails[partition].head
                    return head < position ? (partition: partition, head: head) : nil
                }
                return (news, state.mayLackHints, state.generation)
            }
            // Where it fails, the poll that needs no hint says so.
            if mayLackHints || news.count > Self.fewPartitions {
                _ = try? await poll()
            } else {
                for (partition, head) in news { try? await readOn(partition, after: head, in: present) }
            }
        }
    }

    /// Reads what is new of a partition: streams wait for the events themselves, and heads would be one more read.
    private func readOn(_ partition: Int, after head: Int64, in present: Int) async throws {
        let events = try await read(partition, after: head, limit: Self.pageSize, in: present)
        // There may be more.
        if events.count == Self.pageSize { try await poll() }
    }

    /// Polls seldom while `mayRest` says that nobody else appends who would not be heard of. It must not block.
    package func rest(while mayRest: @escaping @Sendable () -> Bool) {
        state.withLock { $0.mayRest = mayRest }
    }

    /// Whether nobody else works on the database, as far as this process knows, and whoever begins to is heard of. Asks nobody.
    package var mayRest: Bool {
        let mayRest = state.withLock { $0.mayRest }
        return mayRest()
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
            if pollsWithoutNews < Self.idlePolls {
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: pollInterval)
            } else {
                await rest()
            }
        }
    }

    /// Whether it may go on resting is looked at in each interval, which asks nobody.
    private func rest() async {
        let interval = max(Self.idlePollInterval, pollInterval)
        let end = ContinuousClock.now + max(Self.restingPollInterval, interval)
        repeat {
            // Ends early only by cancellation.
            try? await Task.sleep(for: interval)
        } while !Task.isCancelled && ContinuousClock.now < end && mayRest
    }
}
