import Metrics
import Synchronization

/// The values of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    func write(name: String, labels: String, to text: inout String)
}

extension PrometheusSeries {
    func line(_ name: String, _ labels: String, _ value: Double) -> String {
        let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
        return labels.isEmpty ? "\(name) \(number)\n" : "\(name){\(labels)} \(number)\n"
    }
}

/// A number that only grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        guard amount >= 0 else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, value.withLock { $0 })
    }
}

/// A number that goes up and down.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, value.withLock { $0 })
    }
}

/// How often values fell below each of a few bounds.
final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
    /// From half a millisecond to ten seconds.
    static let seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// For counts and bytes.
    static let sizes = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000]

    private let bounds: [Double]
    private let state: Mutex<State>

    private struct State {
        /// One count per bound, and one for what is above them all.
        var counts: [Int]
        var sum = 0.0
    }

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(name: String, labels: String, to text: inout String) {
        let state = state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : labels + ","
        var total = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], state.counts) {
            total += count
            text += line("\(name)_bucket", "\(prefix)le=\"\(bound)\"", Double(total))
        }
        text += line("\(name)_sum", labels, state.sum)
        text += line("\(name)_count", labels, Double(total))
    }
}
