import Histogram

/// Durations of many requests, to three digits.
struct Latencies: Sendable {
    /// In microseconds; what took longer counts as this.
    private static let longest: UInt64 = 120_000_000

    private var histogram = Histogram<UInt64>(
        lowestDiscernibleValue: 1,
        highestTrackableValue: longest,
        numberOfSignificantValueDigits: .three
    )

    var count: Int { Int(clamping: histogram.totalCount) }

    mutating func record(nanoseconds: Int64) {
        let microseconds = UInt64(Swift.max(nanoseconds, 0)) / 1000
        _ = histogram.record(min(microseconds, Self.longest))
    }

    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    /// Milliseconds that so many percent of the requests did not exceed; zero without requests.
    func percentile(_ percent: Double) -> Double {
        count == 0 ? 0 : Double(histogram.valueAtPercentile(percent)) / 1000
    }

    /// Milliseconds of the slowest request.
    var max: Double { count == 0 ? 0 : Double(histogram.max) / 1000 }

    /// What a report keeps, in milliseconds.
    var figures: [String: Double] {
        [
            "p50": percentile(50), "p90": percentile(90), "p99": percentile(99), "p99.9": percentile(99.9), "max": max,
            "count": Double(count),
        ]
    }
}
