import Foundation

/// How long the oldest event of a partition has waited that the read models do not show.
struct Lag {
    let partition: Int
    /// When it was recorded; nil where the log does not have it any more.
    let since: Date?

    /// Names the partitions that wait for too long; nil where there are none.
    static func description(
        of lags: [Lag],
        longerThan limit: Duration,
        at now: Date,
        naming count: Int
    ) -> String? {
        let late = lags.compactMap { lag -> (partition: Int, age: TimeInterval)? in
            guard let since = lag.since, now.timeIntervalSince(since) > limit / .seconds(1) else { return nil }
            return (lag.partition, now.timeIntervalSince(since))
        }
        .sorted { $0.age > $1.age }
        guard !late.isEmpty else { return nil }
        let named = late.prefix(count).map { "partition \($0.partition) is \(Int($0.age)) s behind" }
        let rest = late.count - named.count
        return (named + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: ", ")
    }
}
