import CoreMetrics
import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import ParleyWire
import Postgres
import Synchronization

/// Delivers to webhooks what is due: claims how far one has got in a conversation, reads from the log what comes next, sends
/// it in order outside of any transaction, and gives the claim back.
final class WebhookWorker: Sendable {
    /// What is under way at once, of all webhooks; of one it is less than twice ``WebhookQueue/claimsOfWebhook``, and one where its
    /// server took nothing the last time.
    static let slots = 64
    /// Events that are read at once.
    private static let page = 20
    /// Nobody works on one claim for much longer: it ends.
    private static let longestTurn = Duration.seconds(30)
    /// After what is our own fault.
    private static let ownPause = Duration.seconds(2)

    /// Renders the `data` of an event.
    typealias Render = @Sendable (RecordedEvent) async throws -> Data?
    /// Is told of a webhook that is sent nothing more, in the transaction that has it so.
    typealias Disabled = @Sendable (UUID, PostgresConnection) async throws -> Void

    let queue: WebhookQueue
    private let webhooks: Webhooks
    private let log: LogReader
    private let sender: WebhookSender
    private let render: Render
    private let disabled: Disabled
    private let logger: Logger
    private let unrendered = UnrenderedEvents()
    private let state = Mutex(State())

    private struct State {
        var underWay: [UUID: Int] = [:]
        /// The webhooks whose servers did not take what they were sent last.
        var failing: Set<UUID> = []

        /// Those of which enough is under way.
        var full: [UUID] {
            underWay.filter { $0.value >= (failing.contains($0.key) ? 1 : WebhookQueue.claimsOfWebhook) }.map(\.key)
        }
    }

    init(
        store: EventStore,
        webhooks: Webhooks,
        sender: WebhookSender,
        render: @escaping Render,
        disabled: @escaping Disabled,
        logger: Logger
    ) {
        queue = WebhookQueue(pool: store.pool, sessions: store.sessions)
        self.webhooks = webhooks
        log = store.log
        self.sender = sender
        self.render = render
        self.disabled = disabled
        self.logger = logger
    }

    /// Begins with all that is due, as far as there is room; calls `ended` after each.
    func begin(_ tasks: inout DiscardingTaskGroup, ended: @escaping @Sendable () -> Void) async throws {
        while true {
            let (free, full, failing) = state.withLock { state in
                (Self.slots - state.underWay.values.reduce(0, +), state.full, Array(state.failing))
            }
            guard free > 0 else { return }
            let places = try await queue.claim(limit: free, without: full, failing: failing)
            guard !places.isEmpty else { return }
            let known = try await webhooks.list()
            let byID = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
            state.withLock { $0.failing.formIntersection(byID.keys) }
            for place in places {
                // Its key is gone, or it was removed just now: the claim ends by itself.
                guard let webhook = byID[place.webhook] else { continue }
                state.withLock { $0.underWay[place.webhook, default: 0] += 1 }
                tasks.addTask {
                    await self.work(on: place, webhook)
                    self.state.withLock { state in
                        let left = (state.underWay[place.webhook] ?? 1) - 1
                        state.underWay[place.webhook] = left > 0 ? left : nil
                    }
                    ended()
                }
            }
        }
    }

    // MARK: One claim

    /// What has become of a claim so far.
    private struct Turn {
        var next: Int64
        var attempts: Int
        var failingSince: Date?
        var wait: Duration?
        /// Those that are not noted yet.
        var tries: [WebhookTry] = []
        /// Whether its server took any event.
        var isTaken = false
        var isOver = false
        var end: Webhook.DisabledReason?
    }

    private func work(on place: WebhookPlace, _ webhook: Webhook) async {
        var turn = Turn(next: place.next, attempts: place.attempts, failingSince: place.failingSince)
        do {
            try await deliver(place, to: webhook, &turn)
        } catch {
            // The database, most likely; what was delivered until here is noted all the same.
            WebhookMetrics.failures.increment()
            turn.wait = Self.ownPause
        }
        let finished = turn
        // What was accepted is noted though the server stops just now: else it is sent twice.
        let completion = await Task { try await self.complete(place, webhook, finished) }.result
        if case .failure(let error) = completion {
            WebhookMetrics.failures.increment()
            logger.warning(
                "what a webhook was told cannot be noted",
                metadata: ["webhook": "\(webhook.id)", "error": "\(String(reflecting: type(of: error)))"]
            )
        }
    }

    private func deliver(_ place: WebhookPlace, to webhook: Webhook, _ turn: inout Turn) async throws {
        let end = ContinuousClock.now + Self.longestTurn
        let stream = StreamID(.conversation, place.conversation)
        let records = try await log.events(of: stream, after: place.next - 1, limit: Self.page)
        guard let first = records.first else {
            // The log has lost what was there, in a failover.
            turn.next = place.head + 1
            return
        }
        guard first.version == place.next else {
            turn.next = first.version
            return
        }
        let due = records.prefix { $0.version <= place.head && $0.unknown == nil }
        for record in due {
            if Task.isCancelled || ContinuousClock.now > end { return }
            // Others may be at it now.
            if place.isOfSession, queue.sessions.key == nil { return }
            if let event = WebhookEvents.name(of: record), webhook.subscribes(to: event, in: place.conversation),
                let data = try await data(of: record, place, &turn)
            {
                await send(WebhookMessage(event, data, of: record), event, of: record, to: webhook, &turn)
            }
            if turn.isOver { return }
            turn.next = record.version + 1
            turn.attempts = 0
            turn.failingSince = nil
            // Of the last one the claim's end says so.
            guard !turn.tries.isEmpty, record.version != due.last?.version else { continue }
            let isStillClaimed = try await queue.advance(place, to: turn.next, tries: turn.tries)
            turn.tries = []
            if !isStillClaimed { return }
        }
        if first.unknown != nil { turn.wait = .seconds(30) }
    }

    /// The `data` of an event; nil where there is nothing to tell. One that cannot be rendered is tried again, and passed in the
    /// end: what comes after it is to be told, too.
    private func data(of record: RecordedEvent, _ place: WebhookPlace, _ turn: inout Turn) async throws -> Data? {
        do {
            let data = try await render(record)
            if turn.failingSince != nil { unrendered.forget(record.version, of: place) }
            return data
        } catch  where LogConsumer.isOfEvents(error) {
            let count = unrendered.count(record.version, of: place)
            let metadata: Logger.Metadata = [
                "webhook": "\(place.webhook)", "partition": "\(record.partition)", "position": "\(record.position)",
                "error": "\(String(reflecting: type(of: error)))",
            ]
            guard count < LogConsumer.tries(after: error) else {
                unrendered.forget(record.version, of: place)
                ReactorMetrics.skippedEvents(WebhookReactor.reactorName).increment()
                logger.error("a webhook is not told of an event that cannot be rendered", metadata: metadata)
                return nil
            }
            WebhookMetrics.failures.increment()
            if count == 1 { logger.warning("an event for a webhook cannot be rendered", metadata: metadata) }
            turn.isOver = true
            turn.failingSince = turn.failingSince ?? Date()
            turn.wait = UnrenderedEvents.pause(after: count)
            return nil
        }
    }

    private func send(
        _ message: WebhookMessage,
        _ event: StreamEventName,
        of record: RecordedEvent,
        to webhook: Webhook,
        _ turn: inout Turn
    ) async {
        let (result, milliseconds) = await sender.send(message, to: webhook.target)
        WebhookMetrics.note(result)
        guard !result.isOurs else {
            turn.isOver = true
            turn.wait = Self.ownPause
            return
        }
        turn.tries.append(
            WebhookTry(
                conversation: record.stream.id,
                partition: record.partition,
                position: record.position,
                message: message.id,
                event: event,
                attempt: turn.attempts + 1,
                milliseconds: milliseconds,
                result: result
            )
        )
        note(webhook.id, isFailing: !result.isAccepted)
        guard !result.isAccepted else {
            turn.isTaken = true
            return
        }
        let (now, begin) = (Date(), turn.failingSince ?? Date())
        turn.isOver = true
        turn.attempts += 1
        turn.failingSince = begin
        turn.wait = WebhookSchedule.pause(after: turn.attempts, since: begin, at: now)
        if result.isGone { turn.end = .gone } else if turn.wait == nil { turn.end = .failing }
        // Of account only where it cannot be disabled now.
        if turn.end != nil { turn.wait = Self.ownPause }
    }

    private func note(_ webhook: UUID, isFailing: Bool) {
        state.withLock { state in
            let others = state.failing.subtracting([webhook])
            state.failing = isFailing ? others.union([webhook]) : others
        }
    }

    private func complete(_ place: WebhookPlace, _ webhook: Webhook, _ turn: Turn) async throws {
        try await queue.complete(
            place,
            next: turn.next,
            attempts: turn.attempts,
            failingSince: turn.failingSince,
            wait: turn.wait,
            tries: turn.tries
        )
        if place.attempts > 0, turn.isTaken { try await queue.hasRecovered(webhook.id) }
        guard let reason = turn.end else { return }
        let isDisabled = try await webhooks.disable(webhook.id, reason) { [disabled] connection in
            try await disabled(webhook.id, connection)
        }
        guard isDisabled else { return }
        WebhookMetrics.disabled.increment()
        logger.error("a webhook is disabled", metadata: ["webhook": "\(webhook.id)", "reason": "\(reason.rawValue)"])
    }
}

extension Webhook {
    fileprivate func subscribes(to event: StreamEventName, in conversation: UUID) -> Bool {
        subscribes(to: event) && conversations?.contains(conversation) ?? true
    }
}
