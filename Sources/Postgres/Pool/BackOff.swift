/// Doubling delays up to a cap, each shortened by chance so that many clients do not return in step.
package struct BackOff: Sendable {
    private static let first = 50.0
    private static let cap = 2000.0
    private var delay = Self.first

    package init() {}

    /// The next delay.
    package mutating func next() -> Duration {
        defer { delay = min(delay * 2, Self.cap) }
        return .milliseconds(Int64(Double.random(in: delay / 2...delay)))
    }
}
