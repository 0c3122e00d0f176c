import Synchronization

/// Durations of many requests, and what to say about them.
final class Figures: Sendable {
    private let samples = Mutex<[Duration]>([])
    private let failures = Mutex<[Int: Int]>([:])

    func add(_ duration: Duration) {
        samples.withLock { $0.append(duration) }
    }

    func addFailure(status: Int) {
        failures.withLock { $0[status, default: 0] += 1 }
    }

    var count: Int { samples.withLock(\.count) }

    var failureCount: Int { failures.withLock { $0.values.reduce(0, +) } }

    /// The duration that so many percent of the requests did not exceed; zero without requests.
    func percentile(_ percent: Double) -> Duration {
        let sorted = samples.withLock { $0.sorted() }
        guard let last = sorted.indices.last else { return .zero }
        let index = Int((Double(sorted.count) * percent / 100).rounded(.up)) - 1
        return sorted[min(max(index, 0), last)]
    }

    var summary: String {
        let failed = failures.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        return "p50 \(percentile(50).milliseconds) ms, p99 \(percentile(99).milliseconds) ms, "
            + "max \(percentile(100).milliseconds) ms"
            + (failed.isEmpty ? "" : ", FAILED \(failed.joined(separator: ", "))")
    }
}

extension Duration {
    /// With two digits after the point.
    var milliseconds: String {
        let hundredths = Int((seconds * 100_000).rounded())
        return "\(hundredths / 100)." + String(hundredths % 100 + 100).suffix(2)
    }
}
