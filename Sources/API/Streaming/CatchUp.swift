import CoreMetrics
import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import ReadModels

/// Reads from the log what a client missed, and tells it as things are now.
///
/// It reads the tails of the client's own conversations that have changed, and nothing else: partition by partition,
/// merged into the order of the log, page by page. Which events concern the client is decided by the memberships at those
/// events; what they look like, by the read models.
struct CatchUp: Sendable {
    /// Something to tell, and how far the client has come with it; nil for what stands outside the order of events.
    struct Told: Sendable {
        let event: StreamEvent
        /// The conversation that it is about.
        let conversation: UUID?
        let vector: PositionVector?
    }

    struct Outcome: Sendable {
        /// Everything up to here has been told, or a fresh stream begins after it.
        let snapshot: PositionVector
        /// The person's conversations at the snapshot.
        let conversations: Set<UUID>
        let isComplete: Bool
        /// How many events of the log it took.
        let eventsRead: Int
    }

    private static let pageSize = 256
    /// For so many seconds, in the log's time, counts may not have been told yet; in truth it is a fraction of one.
    private static let untoldFor: TimeInterval = 30
    private static let patience: Duration = .seconds(10)

    let eventStore: EventStore
    let queries: Queries
    let checkpoints: Checkpoints
    /// All catch-ups of the process share one.
    let turnstile: Turnstile

    /// - Parameters:
    ///   - start: how far the client has come; nil tells nothing and finds out where now is.
    ///   - goal: the read models are waited for until they have come this far.
    ///   - tell: takes a page; false ends the catch-up.
    /// - Throws: a problem where the read models do not come so far in time, or database errors.
    @concurrent func run(
        for person: UUID,
        from start: PositionVector?,
        to goal: PositionVector,
        tell: @concurrent ([Told]) async throws -> Bool
    ) async throws -> Outcome {
        let opening = try await open(person, at: start.map { goal.advanced(to: $0) } ?? goal)
        let snapshot = PositionVector(opening.positions)
        let conversations = Set(opening.spans.filter { $0.toPosition == nil }.map(\.conversation))
        var page = CatchUpPage(person: person, queries: queries)
        var isComplete = true
        if let start { isComplete = try await tellChanges(in: opening, since: start, &page, tell) }
        StreamMetrics.caughtUp.increment(by: page.eventsRead)
        return Outcome(
            snapshot: snapshot,
            conversations: conversations,
            isComplete: isComplete,
            eventsRead: page.eventsRead
        )
    }

    private func open(_ person: UUID, at goal: PositionVector) async throws -> StreamOpening {
        let positions = Dictionary(uniqueKeysWithValues: goal.positions.enumerated().map { ($0.offset, $0.element) })
        // A second look, in case the database has lost the newest commits of the projector in a crash.
        for _ in 0..<2 {
            guard try await checkpoints.wait(for: positions, timeout: Self.patience) else { break }
            let opening = try await turnstile.pass { try await queries.opening(for: person) }
            if PositionVector(opening.positions).covers(goal) { return opening }
        }
        throw HTTPProblem(.unavailable, "The server does not show the given position yet.")
    }

    @concurrent private func tellChanges(
        in opening: StreamOpening,
        since start: PositionVector,
        _ page: inout CatchUpPage,
        _ tell: @concurrent ([Told]) async throws -> Bool
    ) async throws -> Bool {
        var cursor = start
        let changed = Dictionary(grouping: opening.changed(since: start.positions), by: \.partition)
        var people = ChangedPeople(person: page.person, opening: opening, queries: queries)
        for (partition, last) in opening.positions.enumerated() where cursor[partition] < last {
            let spans = changed[partition] ?? []
            var merge = TailMerge(spans.map { $0.tail(after: cursor[partition], upTo: last) })
            var isAtEnd = false
            while !isAtEnd {
                page.begin(at: cursor, in: partition, spans)
                try await turnstile.pass {
                    isAtEnd = try await read(&merge, &people, in: partition, into: &page)
                    try await page.render()
                }
                cursor = page.cursor
                if !page.told.isEmpty, try await !tell(page.told) { return false }
            }
            cursor.advance(partition, to: last)
        }
        let recent = try await recentlyChanged(in: opening, before: start)
        return try await tellUnread(in: Array(page.touched.union(recent)), of: page.person, tell)
    }

    /// Conversations that have changed shortly before a cursor. Unread counts follow their events after a moment and have
    /// no `id`: the client may have been cut in between.
    private func recentlyChanged(in opening: StreamOpening, before start: PositionVector) async throws -> Set<UUID> {
        let candidates = opening.spans.filter { $0.toPosition == nil && $0.lastPosition <= start[$0.partition] }
        let partitions = Array(Set(candidates.map(\.partition)))
        let places =
            partitions.map { (partition: $0, position: start[$0]) }
            + candidates.map { (partition: $0.partition, position: $0.lastPosition) }
        let times = try await turnstile.pass { try await eventStore.log.times(of: places) }
        let cursorTimes = Dictionary(uniqueKeysWithValues: zip(partitions, times))
        let recent = zip(candidates, times.dropFirst(partitions.count)).compactMap { span, lastTime -> UUID? in
            guard let lastTime, let cursorTime = cursorTimes[span.partition] ?? nil else { return nil }
            return cursorTime.timeIntervalSince(lastTime) < Self.untoldFor ? span.conversation : nil
        }
        return Set(recent)
    }

    /// - Returns: whether the partition holds nothing more.
    private func read(
        _ merge: inout TailMerge,
        _ people: inout ChangedPeople,
        in partition: Int,
        into page: inout CatchUpPage
    ) async throws -> Bool {
        while page.count < Self.pageSize {
            try await fill(&merge)
            let person = try await people.next(in: partition, since: page.cursor)
            if let event = merge.peek, event.position < person?.position ?? .max {
                page.add(event)
                _ = merge.next()
            } else if let person {
                page.add(person)
                people.drop()
            } else {
                return true
            }
        }
        return false
    }

    private func fill(_ merge: inout TailMerge) async throws {
        for (place, rest) in merge.needs {
            let events = try await eventStore.log.tail(
                of: rest.conversation,
                categories: [.conversation, .receipts],
                after: rest.after,
                upTo: rest.upTo,
                limit: merge.pageSize
            )
            merge.supply(events, at: place)
        }
    }

    @concurrent private func tellUnread(
        in conversations: [UUID],
        of person: UUID,
        _ tell: @concurrent ([Told]) async throws -> Bool
    ) async throws -> Bool {
        for start in stride(from: 0, to: conversations.count, by: 500) {
            let some = conversations[start..<min(conversations.count, start + 500)]
            if try await !tell(try await unread(Array(some), of: person)) { return false }
        }
        return true
    }

    /// The present counts of conversations in which something was told.
    func unread(_ conversations: [UUID], of person: UUID) async throws -> [Told] {
        let keys = conversations.map { UnreadKey(user: person, conversation: $0) }
        return try await turnstile.pass { try await queries.unread(keys) }.map {
            Told(event: .unreadUpdated($0.event), conversation: $0.key.conversation, vector: nil)
        }
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
