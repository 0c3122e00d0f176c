import CoreMetrics
import Metrics

/// All metrics of messages that go by themselves.
enum ExpiryMetrics {
    /// Messages that this process has taken away since their time was over.
    static let expired = Counter(label: "parley_expired_messages_total")
    /// Rounds in which some could not be taken away.
    static let failures = Counter(label: "parley_expiry_failures_total")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [expired, failures] { counter.increment(by: 0) }
    }
}
