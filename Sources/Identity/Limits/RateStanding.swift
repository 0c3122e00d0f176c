/// How a bucket stands after a request, or at a moment.
package struct RateStanding: Sendable, Hashable {
    package let policy: RatePolicy
    package let limit: RateLimit
    /// How many requests would pass at once.
    package let remaining: Int
    /// How long until the bucket is full again.
    package let untilFull: Duration
    /// How long to wait, where the request was refused.
    package let wait: Duration?

    /// - Parameter debt: how long until the bucket is full again.
    init(_ policy: RatePolicy, _ limit: RateLimit, debt: Duration, isRefused: Bool) {
        self.policy = policy
        self.limit = limit
        untilFull = min(max(.zero, debt), limit.window)
        let free = (limit.window - untilFull) / limit.interval
        // A hair's breadth of time has passed since the request: not yet a whole token, and not one less either.
        remaining = isRefused ? 0 : max(0, min(limit.quota, Int(free + 1e-6)))
        wait = isRefused ? max(.zero, debt + limit.interval - limit.window) : nil
    }
}

extension Duration {
    /// In whole seconds, rounded up.
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: attoseconds > 0 ? seconds + 1 : seconds)
    }
}
