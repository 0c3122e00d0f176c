import Identity
import Live
package import Logging
import ServiceLifecycle

/// Carries on erasures that were cut short, here or by another process, and checks each once more later.
///
/// It sleeps until the next one is due: whoever begins one is left alone with it for as long as it sleeps at most.
package struct ErasureWorker: Service {
    /// After a failure, and for what somebody else is at.
    private static let shortestPause: Duration = .seconds(2)
    private static let longestPause = Erasures.lease

    private let eraser: Eraser
    private let logger: Logger

    package init(eraser: Eraser, logger: Logger) {
        self.eraser = eraser
        self.logger = logger
    }

    /// Works until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown {
            var failures = 0
            while !Task.isCancelled {
                var pause = Self.shortestPause
                do {
                    pause = try await carryOn()
                    failures = 0
                } catch {
                    failures += 1
                    if failures == 1, !Task.isCancelled {
                        logger.warning(
                            "an erasure could not be carried on; it is tried again",
                            metadata: ErrorMetadata.describing(error)
                        )
                    }
                }
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Does all that is due.
    ///
    /// - Returns: how long there is nothing more to do.
    private func carryOn() async throws -> Duration {
        while let wait = try await eraser.erasures.timeUntilDue() {
            guard wait <= .zero else { return min(max(wait, Self.shortestPause), Self.longestPause) }
            guard let pending = try await eraser.erasures.claim() else { return Self.shortestPause }
            if pending.isErased {
                try await eraser.recheck(pending.person)
            } else {
                try await eraser.carryOut(pending.person)
            }
        }
        return Self.longestPause
    }
}
