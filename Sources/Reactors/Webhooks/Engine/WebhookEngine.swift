import CoreMetrics
package import EventSourcing
package import EventStore
package import Foundation
package import Logging
package import Postgres
package import ReadModels
import ServiceLifecycle

/// Webhooks: follows the log, notes what there is to tell, and tells it.
package final class WebhookEngine: Service {
    /// Looked for without being woken: what comes due, and what other processes leave; the second where there are none.
    private static let (poll, restingPoll) = (Duration.milliseconds(250), Duration.seconds(1))
    /// How often it is asked at rest whether there is any webhook.
    private static let asking = Duration.seconds(10)
    private static let measuring = Duration.seconds(15)
    private static let cleaning = Duration.seconds(600)
    private static let longestPause = Duration.seconds(10)

    let interest: WebhookInterest
    private let worker: WebhookWorker
    private let consumer: LogConsumer
    private let deliveries: WebhookDeliveries
    private let store: EventStore
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - render: makes the `data` of an event that the read models show; nil where there is nothing to tell.
    ///   - disabled: is told of a webhook that is sent nothing more, in the transaction that has it so, so that somebody
    ///     hears of it. What it throws keeps the webhook enabled, until the next try.
    package init(
        store: EventStore,
        checkpoints: Checkpoints,
        sender: WebhookSender,
        render: @escaping @Sendable (RecordedEvent) async throws -> Data?,
        disabled: @escaping @Sendable (UUID, PostgresConnection) async throws -> Void,
        logger: Logger
    ) {
        WebhookMetrics.begin()
        let interest = WebhookInterest()
        self.interest = interest
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.wakes, self.waker) = (wakes, waker)
        self.store = store
        self.logger = logger
        deliveries = WebhookDeliveries(pool: store.pool)
        worker = WebhookWorker(
            store: store,
            webhooks: Webhooks(pool: store.pool, keyring: store.keyring),
            sender: sender,
            render: render,
            disabled: disabled,
            logger: logger
        )
        consumer = LogConsumer(
            WebhookReactor(interest: interest, wake: { waker.yield() }),
            of: store,
            behind: checkpoints,
            logger: logger
        )
    }

    /// Works until cancelled or shut down gracefully; what is under way is cut short then, and sent again later.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.consumer.run() }
                group.addTask { await self.askWhileLogMoves() }
                group.addTask { await self.tick() }
                group.addTask { await self.every(Self.measuring) { try await self.measure() } }
                group.addTask { await self.every(Self.cleaning) { while try await self.deliveries.clean() {} } }
                group.addTask { await self.takeOver() }
                group.addTask { await self.work() }
            }
        }
    }

    /// Asks again and again while there are events to pass, and at once with the first: the read models, which the consumer waits
    /// for, take longer.
    private func askWhileLogMoves() async {
        let (moves, moved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            store.feed.signalChanges(by: moved)
            group.addTask { await self.every(Self.asking) { moved.yield() } }
            for await _ in moves {
                do {
                    try await interest.ask(store.pool)
                    waker.yield()
                } catch {
                    // The database is away: as long as it is, nothing is passed either.
                    moved.yield()
                }
                // Ends early only by cancellation, which ends the signals, too.
                try? await Task.sleep(for: WebhookInterest.goodFor / 2)
            }
            group.cancelAll()
        }
    }

    private func tick() async {
        while !Task.isCancelled {
            waker.yield()
            let rests = !interest.wasAny || store.feed.mayRest
            // Ends early only by cancellation, which the loop looks at.
            try? await Task.sleep(for: rests ? Self.restingPoll : Self.poll)
        }
    }

    /// What a process was at that is gone, others go on with.
    private func takeOver() async {
        await store.sessions.follow { living in
            if try await self.worker.queue.giveBack(exceptOf: living) { self.waker.yield() }
        }
    }

    private func work() async {
        await withDiscardingTaskGroup { tasks in
            var failures = 0
            for await _ in wakes where interest.wasAny {
                do {
                    try await worker.begin(&tasks) { self.waker.yield() }
                    failures = 0
                } catch {
                    if Task.isCancelled { break }
                    failures += 1
                    WebhookMetrics.failures.increment()
                    if failures == 1 {
                        logger.warning("webhooks wait", metadata: ["error": "\(String(reflecting: type(of: error)))"])
                    }
                    // Ends early only by cancellation.
                    try? await Task.sleep(for: min(Self.longestPause, .milliseconds(100) * (1 << min(failures, 7))))
                }
            }
        }
    }

    private func every(_ pause: Duration, _ body: @escaping @Sendable () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await body()
            } catch {
                logger.debug(
                    "looking after webhooks failed",
                    metadata: ["error": "\(String(reflecting: type(of: error)))"]
                )
            }
            // Ends early only by cancellation.
            try? await Task.sleep(for: pause)
        }
    }

    private func measure() async throws {
        WebhookMetrics.note(try await WebhookQueueState.read(on: store.pool))
    }
}
