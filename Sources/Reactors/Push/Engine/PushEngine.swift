import CoreMetrics
package import EventStore
package import Logging
package import ReadModels
import ServiceLifecycle

/// Push notifications: follows the log, keeps the outbox, and sends over the providers that there are.
package final class PushEngine: Service {
    private static let measuring = Duration.seconds(15)
    private static let cleaning = Duration.seconds(600)

    private let workers: [PushWorker]
    private let consumer: LogConsumer
    private let queue: PushQueue
    private let activity: PushActivity
    private let store: EventStore
    private let logger: Logger

    /// - Parameters:
    ///   - providers: one of a platform; none for a server that sends no notifications.
    ///   - queries: reads what is so when something is sent.
    ///   - moment: the time that services are left alone by.
    package init(
        providers: [any PushProvider],
        store: EventStore,
        checkpoints: Checkpoints,
        queries: Queries,
        devices: Devices,
        activity: PushActivity,
        moment: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        logger: Logger
    ) {
        let queue = PushQueue(pool: store.pool, sessions: store.sessions, devices: devices)
        let workers = providers.compactMap { provider in
            PushPlatform(rawValue: provider.name).map { platform in
                PushWorker(
                    provider,
                    platform,
                    queue: queue,
                    queries: queries,
                    moment: moment,
                    mayRest: { [feed = store.feed] in feed.mayRest },
                    logger: logger
                )
            }
        }
        self.workers = workers
        self.queue = queue
        self.activity = activity
        self.store = store
        self.logger = logger
        let platforms = providers.compactMap { PushPlatform(rawValue: $0.name) }
        PushMetrics.begin(platforms)
        consumer = LogConsumer(
            PushReactor(platforms: platforms, activity: activity) { for worker in workers { worker.wake() } },
            of: store,
            behind: checkpoints,
            logger: logger
        )
    }

    /// Works until cancelled or shut down gracefully; what is under way is finished then.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.every(Self.cleaning) { try await self.clean() } }
                // Who sends nothing passes no message either: another process may have providers.
                guard !workers.isEmpty else { return }
                group.addTask { await self.consumer.run() }
                group.addTask { await self.every(.seconds(2)) { await self.activity.flush() } }
                group.addTask { await self.every(Self.measuring) { try await self.measure() } }
                group.addTask { await self.takeOver() }
                for worker in workers { group.addTask { await worker.run() } }
            }
        } onGracefulShutdown: {
            for worker in self.workers { worker.stop() }
        }
    }

    /// What a process was at that is gone, others go on with.
    private func takeOver() async {
        await cancelWhenGracefulShutdown {
            await self.store.sessions.follow { living in
                guard try await self.queue.giveBack(exceptOf: living) else { return }
                for worker in self.workers { worker.wake() }
            }
        }
    }

    private func every(_ pause: Duration, _ body: @escaping @Sendable () async throws -> Void) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await body()
                } catch {
                    self.logger.debug("looking after push notifications failed", metadata: ["error": "\(error)"])
                }
                // Ends early only by cancellation.
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func clean() async throws {
        while try await queue.devices.removeEnded() {}
        while try await queue.clean() {}
    }

    private func measure() async throws {
        let state = try await PushQueueState.read(on: store.pool)
        PushMetrics.waiting.record(state.waiting)
        PushMetrics.oldest.record(state.oldest ?? 0)
    }
}
