import ServiceLifecycle

extension RateLimiter: Service {
    private static let sweepInterval: Duration = .seconds(60)

    /// Sweeps now and then.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                // What a sweep leaves lying the next one takes; the database's troubles are logged where they arise.
                try? await sweep()
                try? await Task.sleep(for: Self.sweepInterval)
            }
        }
    }
}
