import EventSourcing
import EventStore
import Foundation
import Messaging
import ReadModels

/// Reads from the log what one client missed, page by page, and tells it as things are now.
///
/// It reads the tails of the client's own conversations that have changed, and nothing else: partition by partition,
/// merged into the order of the log. Which events concern the client is decided by the memberships at those events; what
/// they look like, by the read models.
package actor CatchUpReader {
    /// About how many bytes of texts a reader keeps while its client takes a page.
    static let bytesHeld = 256 * 1_024
    private static let countsAtOnce = 500
    /// For so many seconds, in the log's time, counts may not have been told yet; in truth it is a fraction of one.
    private static let countsMayLagFor: TimeInterval = 30

    /// Everything up to here is told, or a fresh stream begins after it.
    package nonisolated let snapshot: PositionVector
    /// The person's conversations at the snapshot.
    nonisolated let conversations: Set<UUID>
    /// Those of them that stand cleared.
    nonisolated let cleared: Set<UUID>
    /// How many events of the log it took.
    var eventsRead: Int { page.eventsRead }

    private let person: UUID
    private let catchUp: CatchUp
    private let opening: StreamOpening
    private let start: PositionVector
    private let changed: [Int: [StreamOpening.Span]]
    private let blocks: [Int: [StreamOpening.Block]]
    private let people: ChangedPeople
    private let page: CatchUpPage
    private var cursor: PositionVector
    /// The partitions that are still to be read; the first may be under way.
    private var partitions: ArraySlice<Int>
    private var merge: TailMerge?
    /// The stored size of what was read into the merge.
    private var mergedBytes = 0
    /// The conversations whose counts are still to be told, once all events are.
    private var uncounted: ArraySlice<UUID>?

    /// - Parameter snapshot: no further than the opening.
    init(
        of person: UUID,
        from start: PositionVector?,
        upTo snapshot: PositionVector,
        opening: StreamOpening,
        catchUp: CatchUp
    ) {
        let start = start ?? snapshot
        self.person = person
        self.catchUp = catchUp
        self.opening = opening
        self.start = start
        self.snapshot = snapshot
        let current = opening.spans.filter { span in
            let position = snapshot[span.partition]
            return span.fromPosition <= position && position < span.toPosition ?? .max
        }
        conversations = Set(current.map(\.conversation))
        cleared = Set(current.filter(\.isCleared).map(\.conversation))
        changed = Dictionary(grouping: opening.changed(since: start.positions), by: \.partition)
        blocks = Dictionary(grouping: opening.changedBlocks(since: start.positions), by: \.partition)
        people = ChangedPeople(person: person, upTo: snapshot, queries: catchUp.queries)
        page = CatchUpPage(person: person, queries: catchUp.queries, passedOver: catchUp.passedOver)
        cursor = start
        partitions = snapshot.positions.indices.filter { start[$0] < snapshot[$0] }[...]
    }

    /// What comes next; nil when all has been told.
    package func next() async throws -> [CatchUp.Event]? {
        while let partition = partitions.first {
            let turnstile = catchUp.turnstile
            let events = try await turnstile.pass { try await readPage(of: partition) }
            if !events.isEmpty { return events }
        }
        return try await nextCounts()
    }

    private func readPage(of partition: Int) async throws -> [CatchUp.Event] {
        let last = snapshot[partition]
        let spans = changed[partition] ?? []
        if merge == nil {
            mergedBytes = 0
            merge = TailMerge(tails(in: partition, upTo: last))
        }
        page.begin(at: cursor, in: partition, spans)
        let isAtEnd = try await fillPage(in: partition)
        try await page.render()
        cursor = page.cursor
        if isAtEnd {
            cursor.advance(partition, to: last)
            partitions.removeFirst()
        }
        // What is long is read again rather than kept.
        if isAtEnd || mergedBytes > Self.bytesHeld { merge = nil }
        return page.events
    }

    /// What is to be read of a partition. Where a block has changed, that is all since the cursor: it may be older than the
    /// membership, or there is none.
    private func tails(in partition: Int, upTo last: Int64) -> [TailMerge.Span] {
        let blocked = Set((blocks[partition] ?? []).map(\.conversation))
        let spans = (changed[partition] ?? []).filter { !blocked.contains($0.conversation) }
        return spans.map { $0.tail(after: cursor[partition], upTo: last) }
            + blocked.sorted().map { TailMerge.Span(conversation: $0, after: cursor[partition], upTo: last) }
    }

    /// - Returns: whether the partition holds nothing more.
    private func fillPage(in partition: Int) async throws -> Bool {
        while !page.isFull {
            try await fillMerge()
            let person = try await people.next(in: partition, since: page.cursor)
            if let event = merge?.peek, event.position < person?.position ?? .max {
                page.add(event)
                _ = merge?.next()
            } else if let person {
                page.add(person)
                people.drop()
            } else {
                return true
            }
        }
        return false
    }

    private func fillMerge() async throws {
        guard let pageSize = merge?.pageSize else { return }
        for (place, rest) in merge?.needs ?? [] {
            let events = try await catchUp.eventStore.log.tail(
                of: rest.conversation,
                categories: [.conversation, .receipts, .views],
                after: rest.after,
                upTo: rest.upTo,
                limit: pageSize
            )
            merge?.supply(events, at: place)
            mergedBytes += events.reduce(0) { $0 + $1.size }
        }
    }

    // MARK: Counts

    private func nextCounts() async throws -> [CatchUp.Event]? {
        var rest: ArraySlice<UUID>
        if let uncounted {
            rest = uncounted
        } else {
            rest = Array(page.touched.union(try await recentlyChanged()))[...]
        }
        guard !rest.isEmpty else {
            uncounted = []
            return nil
        }
        let some = Array(rest.prefix(Self.countsAtOnce))
        rest = rest.dropFirst(Self.countsAtOnce)
        uncounted = rest
        return try await catchUp.unread(some, of: person)
    }

    /// Conversations that have changed shortly before the client's cursor. Unread counts follow their events after a
    /// moment and have no `id`: the client may have been cut in between. Of those in which something has happened since that
    /// was nothing for the client, such as another's view or receipt, the moment is not known any more.
    private func recentlyChanged() async throws -> Set<UUID> {
        let untouched = opening.spans.filter { $0.toPosition == nil && !page.touched.contains($0.conversation) }
        let candidates = untouched.filter { $0.lastPosition <= start[$0.partition] }
        let changedSince = untouched.filter { $0.lastPosition > start[$0.partition] }.map(\.conversation)
        let partitions = Array(Set(candidates.map(\.partition)))
        let places =
            partitions.map { (partition: $0, position: start[$0]) }
            + candidates.map { (partition: $0.partition, position: $0.lastPosition) }
        let times = try await catchUp.turnstile.pass { try await catchUp.eventStore.log.times(of: places) }
        let cursorTimes = Dictionary(uniqueKeysWithValues: zip(partitions, times))
        let recent = zip(candidates, times.dropFirst(partitions.count)).compactMap { span, lastTime -> UUID? in
            guard let lastTime, let cursorTime = cursorTimes[span.partition] ?? nil else { return nil }
            return cursorTime.timeIntervalSince(lastTime) < Self.countsMayLagFor ? span.conversation : nil
        }
        return Set(recent + changedSince)
    }
}

extension StreamOpening.Span {
    /// The part of the log that this membership still has to tell, its beginning and its end included.
    fileprivate func tail(after cursor: Int64, upTo last: Int64) -> TailMerge.Span {
        TailMerge.Span(
            conversation: conversation,
            after: max(cursor, fromPosition - 1),
            upTo: min(last, toPosition ?? last)
        )
    }
}
