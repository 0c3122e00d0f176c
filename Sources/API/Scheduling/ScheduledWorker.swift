import Foundation
import Live
package import Logging
import ReadModels
import ServiceLifecycle

/// Has what was scheduled sent when its time has come, here or by whichever process is there.
///
/// It sleeps until the next one is due, and is woken for an earlier one that this process accepts, and when another process is
/// gone. What others accept they send themselves, as long as they live; it is found here every 5 s in any case.
package struct ScheduledWorker: Service {
    private static let longestSleep: TimeInterval = 5
    /// For what somebody else has claimed, and after a failure.
    private static let shortestSleep: TimeInterval = 1

    private let sender: ScheduledSender
    private let alarm: Alarm
    private let logger: Logger

    package init(sender: ScheduledSender, alarm: Alarm, logger: Logger) {
        SchedulingMetrics.begin()
        self.sender = sender
        self.alarm = alarm
        self.logger = logger
    }

    /// Works until shut down gracefully: what is being sent then is finished.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await sender.followOthers { alarm.set(for: .distantPast) } }
                await follow()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            alarm.close()
        }
    }

    private func follow() async {
        var failures = 0
        while !alarm.isClosed, !Task.isCancelled {
            var next: Date?
            do {
                next = try await sender.sendDue { alarm.isClosed }
                failures = 0
            } catch {
                failures += 1
                next = Date().addingTimeInterval(ScheduledSender.pause(after: failures))
                // Once per outage: the database's own troubles are logged where they arise.
                if failures == 1, !Task.isCancelled {
                    let metadata = ErrorMetadata.describing(error)
                    logger.warning("Scheduled messages cannot be sent; it is tried again", metadata: metadata)
                }
            }
            await sleep(until: next)
        }
    }

    private func sleep(until next: Date?) async {
        let now = Date()
        let wait = next.map { $0.timeIntervalSince(now) } ?? Self.longestSleep
        let pause = min(max(wait, wait > 0 ? 0 : Self.shortestSleep), Self.longestSleep)
        // Rounded up: who looks a moment too soon finds nothing, and looks again.
        await alarm.wait(until: now.addingTimeInterval(pause), for: .seconds(pause) + .milliseconds(1))
    }
}
