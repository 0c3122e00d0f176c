import CoreMetrics
import Identity

/// What the rate limits tell of themselves.
final class RateMetrics: Sendable {
    private let refusals: [RatePolicy: Counter]
    private let buckets: [RatePolicy: Gauge]

    init() {
        refusals = Self.perPolicy { Counter(label: "parley_rate_limit_refusals_total", dimensions: $0) }
        buckets = Self.perPolicy { Gauge(label: "parley_rate_limit_buckets", dimensions: $0) }
    }

    func refused(_ policy: RatePolicy) {
        refusals[policy]?.increment(by: 1)
    }

    /// Called when the metrics are about to be read.
    func record(_ limiter: RateLimiter) {
        for (policy, count) in limiter.bucketsHeld { buckets[policy]?.record(count) }
    }

    private static func perPolicy<Metric>(_ make: ([(String, String)]) -> Metric) -> [RatePolicy: Metric] {
        Dictionary(uniqueKeysWithValues: RatePolicy.allCases.map { ($0, make([("policy", $0.rawValue)])) })
    }
}
