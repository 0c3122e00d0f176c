import CoreMetrics
import Metrics

/// All metrics of webhooks.
enum WebhookMetrics {
    /// Conversations of which a webhook is still to be told something, of all processes; counted up to 100,000.
    private static let waiting = Gauge(label: "parley_webhook_waiting")
    /// Seconds that the one has waited which is due the longest.
    private static let oldest = Gauge(label: "parley_webhook_oldest_seconds")
    /// Seconds that a webhook that is enabled has refused the same message, of the one that does so the longest.
    private static let failing = Gauge(label: "parley_webhook_failing_seconds")
    /// Rounds that failed and are tried again.
    static let failures = Counter(label: "parley_webhook_failures_total")
    /// Webhooks that are sent nothing more, since their servers took nothing.
    static let disabled = Counter(label: "parley_webhook_disabled_total")

    /// Tries by what became of them.
    private static func tries(_ outcome: String) -> Counter {
        Counter(label: "parley_webhook_tries_total", dimensions: [("outcome", outcome)])
    }

    static func note(_ result: WebhookResult) {
        let outcome =
            switch result {
            case .answered: result.isAccepted ? "accepted" : "refused"
            case .unanswered: "unanswered"
            }
        tries(outcome).increment()
    }

    static func note(_ state: WebhookQueueState) {
        waiting.record(state.waiting)
        oldest.record(state.oldest ?? 0)
        failing.record(state.failing ?? 0)
    }

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for gauge in [waiting, oldest, failing] { gauge.record(0) }
        for counter in [failures, disabled] { counter.increment(by: 0) }
        for outcome in ["accepted", "refused", "unanswered"] { tries(outcome).increment(by: 0) }
    }
}
