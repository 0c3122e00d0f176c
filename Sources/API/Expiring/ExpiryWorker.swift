import CoreMetrics
import Foundation
import Live
package import Logging
import ServiceLifecycle

/// Has messages taken away when their time is over. One process at a time does it for all.
///
/// It sleeps until the next one is due, or a process is gone that may have seen to it, and looks once a minute in any case:
/// nothing that comes in is due within the hour.
package struct ExpiryWorker: Service {
    private static let longestSleep: TimeInterval = 60
    /// So that messages that come close together go together.
    private static let shortestSleep: TimeInterval = 5

    private let expirer: Expirer
    private let logger: Logger
    private let alarm = Alarm()

    package init(expirer: Expirer, logger: Logger) {
        ExpiryMetrics.begin()
        self.expirer = expirer
        self.logger = logger
    }

    /// Works until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await expirer.followOthers { alarm.set(for: .distantPast) } }
                await follow()
                group.cancelAll()
            }
        }
        // Others would have it after a while anyway.
        try? await expirer.endTurn()
    }

    private func follow() async {
        var isFailing = false
        while !Task.isCancelled {
            var next: Date?
            do {
                next = try await expirer.expireDue()
                isFailing = false
            } catch {
                ExpiryMetrics.failures.increment()
                // Once per outage: the database's own troubles are logged where they arise.
                if !isFailing, !Task.isCancelled {
                    let reason = (error as? Expirer.Failure)?.reason ?? error
                    let metadata = ErrorMetadata.describing(reason)
                    logger.warning("Messages stay beyond their time; it is tried again", metadata: metadata)
                }
                isFailing = true
            }
            let now = Date()
            let wait = next.map { $0.timeIntervalSince(now) } ?? Self.longestSleep
            let pause = min(max(wait, Self.shortestSleep), Self.longestSleep)
            await alarm.wait(until: now.addingTimeInterval(pause), for: .seconds(pause))
        }
    }
}
