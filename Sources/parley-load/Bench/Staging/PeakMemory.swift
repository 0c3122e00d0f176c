import Synchronization

/// The most memory that a server has while something goes on.
final class PeakMemory: Sendable {
    private static let interval = Duration.milliseconds(20)

    private let peak = Mutex(0)

    private init() {}

    /// - Returns: What the body gives, and the highest resident size that was seen meanwhile, in bytes.
    static func during<Value: Sendable>(
        _ server: MeasuredServer,
        _ body: @Sendable () async throws -> Value
    ) async throws -> (value: Value, bytes: Int) {
        let memory = PeakMemory()
        try await memory.sample(at: server)
        let sampling = Task {
            while !Task.isCancelled {
                try await memory.sample(at: server)
                try await Task.sleep(for: interval)
            }
        }
        defer { sampling.cancel() }
        let value = try await body()
        return (value, memory.peak.withLock { $0 })
    }

    private func sample(at server: MeasuredServer) async throws {
        let bytes = try await ResidentMemory.read(server)
        peak.withLock { $0 = max($0, bytes) }
    }
}
