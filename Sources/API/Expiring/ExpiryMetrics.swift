import CoreMetrics
import Metrics

/// All metrics of messages that go by themselves.
enum ExpiryMetrics {
    /// Messages that this process has taken away since their time was over.
    static let expired = Counter(label: "parley_expired_messages_total")
    /// Rounds in which some could not be taken away.
    static let failures = Counter(label: "parley_expiry_failures_total")
}
