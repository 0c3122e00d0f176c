import Identity
import Live
package import Logging
import ServiceLifecycle

/// Carries on erasures that were cut short, here or by another process, and checks each once more later.
package struct ErasureWorker: Service {
    private static let pause: Duration = .seconds(2)

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
                do {
                    while try await step() {}
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
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// - Returns: whether there was anything to do.
    private func step() async throws -> Bool {
        guard let pending = try await eraser.erasures.claim() else { return false }
        if pending.isErased {
            try await eraser.recheck(pending.person)
        } else {
            try await eraser.carryOut(pending.person)
        }
        return true
    }
}
