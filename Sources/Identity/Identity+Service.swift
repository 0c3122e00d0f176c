import Logging
import ServiceLifecycle

extension Identity: Service {
    private static let pollInterval: Duration = .milliseconds(500)
    private static let cleaningInterval: Duration = .seconds(60 * 60)

    /// Follows what other processes revoke, and now and then deletes sessions that are long dead.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var isFailing = false
            var cleanAt = ContinuousClock.now + Self.pollInterval
            while !Task.isCancelled {
                do {
                    try await revocations.refresh(ifOlderThan: Self.pollInterval / 2)
                    if ContinuousClock.now >= cleanAt {
                        cleanAt = .now + Self.cleaningInterval
                        while try await sessions.deleteDead() > 0 {}
                    }
                    isFailing = false
                } catch {
                    // Once per outage: the database's own troubles are logged where they arise.
                    if !isFailing, !Task.isCancelled { logger.warning("revocations cannot be read", error: error) }
                    isFailing = true
                }
                try? await Task.sleep(for: Self.pollInterval)
            }
        }
    }
}
