package import Metrics
import Synchronization

/// What is told in metrics while a test runs with it, of those that are made each time that something is told.
package final class NotedMetrics: MetricsFactory {
    private let values = Mutex<[String: Double]>([:])

    package init() {}

    /// The newest value of a gauge, the sum of a counter, by label and the values of its dimensions:
    /// `parley_push_tries_total fcm retry`. 0 for what was never told.
    package subscript(_ name: String) -> Double { values.withLock { $0[name] ?? 0 } }

    fileprivate func set(_ name: String, to value: Double) {
        values.withLock { $0[name] = value }
    }

    fileprivate func add(_ amount: Double, to name: String) {
        values.withLock { $0[name, default: 0] += amount }
    }

    private func noted(_ label: String, _ dimensions: [(String, String)]) -> NotedMetric {
        NotedMetric(([label] + dimensions.map(\.1)).joined(separator: " "), in: self)
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        noted(label, dimensions)
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        noted(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        noted(label, dimensions)
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

private final class NotedMetric: CounterHandler, RecorderHandler, TimerHandler {
    private let name: String
    private let metrics: NotedMetrics

    init(_ name: String, in metrics: NotedMetrics) {
        self.name = name
        self.metrics = metrics
    }

    func increment(by amount: Int64) { metrics.add(Double(amount), to: name) }
    func reset() { metrics.set(name, to: 0) }
    func record(_ value: Int64) { metrics.set(name, to: Double(value)) }
    func record(_ value: Double) { metrics.set(name, to: value) }
    func recordNanoseconds(_ duration: Int64) { metrics.set(name, to: Double(duration)) }
}
