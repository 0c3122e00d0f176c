import CoreMetrics
import Metrics

/// All metrics of what is sent later.
enum SchedulingMetrics {
    /// Messages that wait for their time, of all authors and processes; counted up to 10,000.
    static let waiting = Gauge(label: "parley_scheduled_waiting")
    static let sent = Counter(label: "parley_scheduled_sent_total")
    /// Messages that were refused when their time came.
    static let failed = Counter(label: "parley_scheduled_failed_total")
    /// Tries that ended without an answer, or with one that is not for good.
    static let postponed = Counter(label: "parley_scheduled_postponed_total")
    /// How long after their time messages were sent.
    static let lateness = Timer(label: "parley_scheduled_lateness_seconds")

    /// Tells of what is rare from the start: Prometheus sees no growth in a counter that begins with 1.
    static func begin() {
        for counter in [sent, failed, postponed] { counter.increment(by: 0) }
    }
}
